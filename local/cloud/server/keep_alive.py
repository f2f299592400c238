"""Keeps the connections of the front, which asks the guard about every call to a stand-in."""

import io

from moto.server import MotoRequestHandler

CONTROLS = "/_cloud/"


class RequestHandler(MotoRequestHandler):
    """Answers the controls on connections that stay open. werkzeug starts a thread and a connection for each request."""

    # Otherwise the kernel holds an answer's body back until the front has acknowledged its head.
    disable_nagle_algorithm = True

    def run_wsgi(self) -> None:
        if not self.path.startswith(CONTROLS):
            super().run_wsgi()
            return
        environ = self.make_environ()
        environ["wsgi.input"] = io.BytesIO(self.rfile.read(int(environ.get("CONTENT_LENGTH") or 0)))
        started: list[tuple[str, list[tuple[str, str]]]] = []
        answer = b"".join(self.server.app(environ, lambda status, headers: started.append((status, headers))))
        [(status, headers)] = started
        code, reason = status.split(" ", 1)
        self.protocol_version = "HTTP/1.1"
        self.send_response(int(code), reason)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        self.close_connection = self.request_version < "HTTP/1.1" or self.headers.get("connection", "").lower() == "close"
