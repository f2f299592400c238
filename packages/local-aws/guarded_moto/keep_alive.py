"""Keeps connections open: werkzeug starts a thread and a connection for each request, a third of moto's time."""

import io
import traceback
from typing import Any

from moto.server import MotoRequestHandler


class RequestHandler(MotoRequestHandler):
    """Keeps connections open, except after bodies of unknown length."""

    # Otherwise the kernel delays the body until the front has acknowledged the headers (Nagle's algorithm).
    disable_nagle_algorithm = True

    def run_wsgi(self) -> None:
        if self.headers.get("transfer-encoding") is not None:
            super().run_wsgi()
            return
        if self.headers.get("expect", "").strip().lower() == "100-continue":
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        environ = self.make_environ()
        environ["wsgi.input"] = io.BytesIO(self.rfile.read(int(environ.get("CONTENT_LENGTH") or 0)))
        status, headers, answer = self._answer_to(environ)
        code, _, reason = status.partition(" ")
        self.protocol_version = "HTTP/1.1"
        self.send_response(int(code), reason)
        for name, value in headers:
            self.send_header(name, value)
        bodiless = self.command == "HEAD" or code in ("204", "304")
        if not bodiless and all(name.lower() != "content-length" for name, _ in headers):
            self.send_header("content-length", str(len(answer)))
        self.end_headers()
        if not bodiless:
            self.wfile.write(answer)
        self.close_connection = self.request_version < "HTTP/1.1" or self.headers.get("connection", "").lower() == "close"

    def _answer_to(self, environ: dict[str, Any]) -> tuple[str, list[tuple[str, str]], bytes]:
        """Runs a WSGI application. Returns status, headers and body."""
        started: list[tuple[str, list[tuple[str, str]]]] = []
        try:
            parts = self.server.app(environ, lambda status, headers, _=None: started.append((status, headers)))
            try:
                answer = b"".join(parts)
            finally:
                if hasattr(parts, "close"):
                    parts.close()
        except Exception:
            traceback.print_exc()
            return "500 Internal Server Error", [("content-type", "text/plain")], b"the local cloud's process failed"
        status, headers = started[-1]
        return status, headers, answer
