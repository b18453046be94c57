#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Serves the comments of one pull or merge request on a loopback port, like GitHub or GitLab.

stand_in.py PORT-FILE [BEHAVIOUR...]: writes its port to the file and serves until it is killed. Its comments and the
requests that it received can be read at /_state without a token. Behaviours, each NAME or NAME=VALUE:
  foreign=N        begin with N comments of other people, the first of them with weir's marker
  page=N           comments per page, regardless of the request (default: as requested, at most 100)
  ours=BODY        begin with a comment of the token's user that has this body
  bot              the token belongs to a workflow: /user gets 403
  reject=CODE      every request about comments gets this status
  refuse=CODE      every POST and PATCH gets this status
  locked           every POST and PATCH gets 403, as the conversation is locked
  used-up=SECONDS  the first request about comments gets 403 with that X-RateLimit-Reset from now
  busy=SECONDS     the first two requests about comments get 429 with this Retry-After
  fail=N           the first N requests about comments get 500
  lost             the first POST creates its comment and is never answered
  slow             no request about comments is ever answered
  redirect=URL     every request about comments is redirected to the URL
  moved            paths of the repository moved: a redirect on this host
  tls=FILE         https with the key and certificate in this file
  barrier          the first list is answered only after two jobs requested one
"""
import http.server
import json
import os
import re
import socket
import ssl
import sys
import threading
import time
import urllib.parse

MARKER = "<!-- weir:gate key=main v1 -->"
TOKEN = os.environ["STAND_IN_TOKEN"]
USER = "the-token"


class World:
    def __init__(self, behaviours):
        self.lock = threading.Condition()
        self.have = dict(b.split("=", 1) if "=" in b else (b, "") for b in behaviours)
        self.comments, self.asked, self.next_id = [], [], 100
        self.about_comments = self.lists = self.posts = self.without_token = 0
        for i in range(int(self.have.get("foreign", 0))):
            self.add(f"person-{i}", MARKER + "\npasted" if i == 0 else f"comment {i}")
        if "ours" in self.have:
            self.add(self.user(), self.have["ours"].replace("\\n", "\n"))

    def user(self):
        return "github-actions[bot]" if "bot" in self.have else USER

    def add(self, user, body):
        self.next_id += 1
        self.comments.append({"id": self.next_id, "user": user, "body": body})
        return self.comments[-1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, *_):
        pass

    # --- answers ---

    def give(self, status, value=None, **headers):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def shape(self, comment):
        who = {"author": {"username": comment["user"]}} if self.lab else {
            "user": {"login": comment["user"], "type": "User"}}
        return {"id": comment["id"], "body": comment["body"], **who}

    def is_known(self):
        given = self.headers.get("PRIVATE-TOKEN") if self.lab else self.headers.get("Authorization", "")
        return given == (TOKEN if self.lab else "Bearer " + TOKEN)

    # --- behaviours ---

    def misbehave(self, world):
        """Returns True if the request was answered or never will be."""
        have = world.have
        if "slow" in have:
            time.sleep(25)
            return True
        if "reject" in have:
            self.give(int(have["reject"]), {"message": "rejected " + TOKEN})
        elif "refuse" in have and self.command != "GET":
            self.give(int(have["refuse"]), {"message": "Validation Failed", "errors": [{"field": "body", "code": "too_long"}]})
        elif "locked" in have and self.command != "GET":
            self.give(403, {"message": "Unable to create comment because issue is locked."})
        elif "used-up" in have and world.about_comments <= 1:
            self.give(403, {"message": "API rate limit exceeded"}, X_RateLimit_Remaining="0",
                      X_RateLimit_Reset=str(int(time.time()) + int(have["used-up"])))
        elif "redirect" in have:
            self.give(302, {}, Location=have["redirect"])
        elif "busy" in have and world.about_comments <= 2:
            self.give(429, {"message": "slow down"}, Retry_After=have["busy"])
        elif world.about_comments <= int(have.get("fail", 0)):
            self.give(500, {"message": "oops"})
        elif "moved" in have and self.path.startswith("/repos/o/r/"):
            self.give(307, {}, Location=self.path.replace("/repos/o/r/", "/repositories/9/"))
        else:
            return False
        return True

    def wait_for_the_other(self, world):
        with world.lock:
            world.lists += 1
            world.lock.notify_all()
            if "barrier" in world.have:
                world.lock.wait_for(lambda: world.lists >= 2, timeout=10)

    # --- requests ---

    def give_list(self, world, query):
        self.wait_for_the_other(world)
        size = int(world.have.get("page", min(int(query.get("per_page", ["20"])[0]), 100)))
        page = int(query.get("page", ["1"])[0])
        with world.lock:
            every = [self.shape(c) for c in world.comments]
        part, more = every[(page - 1) * size:page * size], page * size < len(every)
        if self.lab:
            self.give(200, part, X_Next_Page=str(page + 1) if more else "")
        elif more:
            base = f"http://{self.headers['Host']}{self.path.split('?')[0]}?per_page={size}"
            self.give(200, part, Link=f'<{base}&page=1>; rel="first", <{base}&page={page + 1}>; rel="next"')
        else:
            self.give(200, part)

    def create(self, world, body):
        with world.lock:
            world.posts += 1
            comment = world.add(world.user(), body)
            lost = "lost" in world.have and world.posts == 1
        if lost:
            time.sleep(25)
        else:
            self.give(201, self.shape(comment))

    def change(self, world, number, body):
        with world.lock:
            found = [c for c in world.comments if c["id"] == number]
            mine = found and found[0]["user"] == world.user()
            if mine and self.command == "DELETE":
                world.comments.remove(found[0])
            elif mine:
                found[0]["body"] = body
        if not found:
            self.give(404, {"message": "Not Found"})
        elif not mine:
            self.give(403, {"message": "not yours"})
        else:
            self.give(204 if self.command == "DELETE" else 200, None if self.command == "DELETE" else {})

    def about_pull_request(self, world, url, body):
        with world.lock:
            world.about_comments += 1
        if self.misbehave(world):
            return
        one = re.fullmatch(r"/(?:repos/o/r|repositories/9)/issues/comments/(\d+)"
                           r"|/api/v4/projects/42/merge_requests/7/notes/(\d+)", url.path)
        every = re.fullmatch(r"/(?:repos/o/r|repositories/9)/issues/7/comments"
                             r"|/api/v4/projects/42/merge_requests/7/notes", url.path)
        if every and self.command == "GET":
            self.give_list(world, urllib.parse.parse_qs(url.query))
        elif every and self.command == "POST":
            self.create(world, body)
        elif one and self.command in ("DELETE", "PUT" if self.lab else "PATCH"):
            self.change(world, int(one[1] or one[2]), body)
        else:
            self.give(404, {"message": "Not Found"})

    def answer(self):
        world, url = self.server.world, urllib.parse.urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length))["body"] if length else None
        self.lab = url.path.startswith("/api/v4/")
        if url.path == "/_state":
            with world.lock:
                self.give(200, {k: getattr(world, k) for k in ("comments", "asked", "without_token")})
            return
        with world.lock:
            world.asked.append(f"{self.command} {self.path}")
            world.without_token += not self.is_known()
        if not self.is_known():
            self.give(401, {"message": "Bad credentials"})
        elif url.path == "/user" and "bot" in world.have:
            self.give(403, {"message": "Resource not accessible by integration"})
        elif url.path in ("/user", "/api/v4/user"):
            self.give(200, {"username" if self.lab else "login": world.user()})
        elif url.path == "/repos/o/r/pulls":
            self.give(200, [{"number": 7, "head": {"sha": "c0ffee"}}] if "head=fork:b" in self.path else [])
        else:
            self.about_pull_request(world, url, body)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    address_family = socket.AF_INET

    def handle_error(self, *_):  # a client that gave up waiting
        pass


def main():
    port_file, behaviours = sys.argv[1], sys.argv[2:]
    server = Server(("127.0.0.1", 0), Handler)
    server.world = World(behaviours)
    if "tls" in server.world.have:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(server.world.have["tls"])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with open(port_file + ".new", "w", encoding="ascii") as file:
        file.write(str(server.server_address[1]))
    os.rename(port_file + ".new", port_file)
    server.serve_forever()


if __name__ == "__main__":
    main()
