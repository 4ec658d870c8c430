"""A receiver of audit records over HTTPS, which verifies with packages that are not ours: a webhook with standardwebhooks, or
OTLP with the messages of opentelemetry-proto. It writes down each item as it comes, and answers afterwards.

receiver.py webhook|otlp CERTIFICATE-AND-KEY PORT SECRET LOG

The secret is the webhook's key in base64, or the token of OTLP.
"""

import http.server
import json
import ssl
import sys

kind, chain, port, secret, log = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]


def of_webhook(headers, body):
    from standardwebhooks.webhooks import Webhook

    posted = Webhook(secret).verify(body, dict(headers))
    # Records as they stand in the body, byte by byte.
    text, items = body.decode(), []
    for item in posted["items"]:
        found = None
        if "record" in item:
            begin = text.index(item["uuid"])
            begin = text.index('"record":', begin) + len('"record":')
            _, end = json.JSONDecoder().raw_decode(text, begin)
            found = text[begin:end]
        items.append({"id": item["uuid"], "sequence": item.get("sequence"), "line": found})
    return items, b""


def of_otlp(headers, body):
    from google.protobuf import json_format
    from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as service

    assert headers["authorization"] == f"Bearer {secret}", "the token is wrong"
    # Members that the messages do not have are refused.
    request = json_format.Parse(body, service.ExportLogsServiceRequest())
    items = []
    for resource in request.resource_logs:
        names = {one.key: one.value.string_value for one in resource.resource.attributes}
        assert names["service.name"] == "chancery" and names["chancery.ledger"].startswith("chancery.invalid/"), names
        for scope in resource.scope_logs:
            for record in scope.log_records:
                of = {one.key: one.value for one in record.attributes}
                assert record.time_unix_nano > 0 and record.event_name and record.severity_text in ("INFO", "WARN")
                is_record = "chancery.sequence" in of
                items.append({
                    "id": of["log.record.uid"].string_value,
                    "sequence": of["chancery.sequence"].int_value if is_record else None,
                    "line": record.body.string_value if is_record else None,
                })
    return items, json_format.MessageToJson(service.ExportLogsServiceResponse()).encode()


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            # A sender that was killed in the midst of it: nothing came.
            self.close_connection = True
            return
        items, answer = (of_webhook if kind == "webhook" else of_otlp)(self.headers, body)
        with open(log, "a", encoding="utf-8") as file:
            file.write("".join(json.dumps(item) + "\n" for item in items))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(chain)
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
