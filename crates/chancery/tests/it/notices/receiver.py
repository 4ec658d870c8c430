"""A webhook over TLS: checks each signature as Standard Webhooks says, with Python's own hmac, and writes down what came.

receiver.py CERTIFICATE-AND-KEY PORT SECRET-IN-HEX LOG
"""

import base64
import hashlib
import hmac
import http.server
import json
import ssl
import sys

chain, port, secret, log = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3]), sys.argv[4]


class Hook(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            # A sender that was killed in the midst of it: nothing came.
            self.close_connection = True
            return
        head = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode()
        tag = base64.b64encode(hmac.new(secret, head + body, hashlib.sha256).digest()).decode()
        good = hmac.compare_digest(f"v1,{tag}", self.headers["webhook-signature"])
        if self.path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", "/hook")
        else:
            with open(log, "a", encoding="utf-8") as file:
                print(json.dumps({"id": self.headers["webhook-id"], "good": good, "body": body.decode()}), file=file)
            self.send_response(200 if good else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(chain)
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Hook)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
