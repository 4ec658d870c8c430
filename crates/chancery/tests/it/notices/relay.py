"""An SMTP relay of aiosmtpd: takes mails after STARTTLS and a login, refuses one recipient, and writes down what came.

relay.py CERTIFICATE-AND-KEY PORT PASSWORD LOG
"""

import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

chain, port, password, log = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode(), sys.argv[4]


class Mails:
    async def handle_RCPT(self, _server, _session, envelope, address, _options):
        if address.startswith("refused@"):
            return "550 5.1.1 nobody of that name is here"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 that one"

    async def handle_DATA(self, _server, session, envelope):
        text = envelope.content.decode()
        with open(log, "a", encoding="utf-8") as file:
            print(json.dumps({"to": envelope.rcpt_tos, "from": envelope.mail_from, "text": text, "tls": bool(session.ssl)}), file=file)
        return "250 2.0.0 taken"


def logged_in(_server, _session, _envelope, _mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"chancery", password))


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(chain)


def session():
    return SMTP(Mails(), tls_context=context, require_starttls=True, authenticator=logged_in, auth_required=True, hostname="relay.test")


async def main():
    server = await asyncio.get_running_loop().create_server(session, "127.0.0.1", port)
    await server.serve_forever()


asyncio.run(main())
