#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Serves the files of a folder on a loopback port, like a store of build results.

serve_files.py FOLDER PORT-FILE ASKED-FILE: writes its port to PORT-FILE and serves until it is killed. It appends the
names of the headers of each request to ASKED-FILE. Paths beside those of files:
  /moved/NAME      a redirect to /NAME
  /circle          a redirect to itself
  /secret          401
  /forbidden       403
  /cut/NAME        the first half of the file, with the length of the whole
  /file            a redirect to file:///etc/passwd
"""
import http.server
import os
import sys

FOLDER, PORT_FILE, ASKED = sys.argv[1:4]


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", length=None, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with open(ASKED, "a", encoding="ascii") as asked:
            print(*sorted(name.lower() for name in self.headers), file=asked)
        path = self.path.split("?")[0]
        if path in ("/secret", "/forbidden"):
            self.answer(401 if path == "/secret" else 403)
        elif path in ("/circle", "/file"):
            self.answer(302, Location="/circle" if path == "/circle" else "file:///etc/passwd")
        elif path.startswith("/moved/"):
            self.answer(302, Location="/" + path[len("/moved/"):])
        else:
            self.serve(path)

    def serve(self, path):
        cut = path.startswith("/cut/")
        file = os.path.join(FOLDER, os.path.basename(path))
        if not os.path.isfile(file):
            self.answer(404)
            return
        with open(file, "rb") as stream:
            body = stream.read()
        self.answer(200, body[:len(body) // 2] if cut else body, len(body))


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(PORT_FILE + ".new", "w", encoding="ascii") as port:
    port.write(str(server.server_address[1]))
os.rename(PORT_FILE + ".new", PORT_FILE)
server.serve_forever()
