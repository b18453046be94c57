#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""proxy.py SOCKET SERVER BEHAVIOUR: passes connections on to a PostgreSQL server and misbehaves once.

cut-before-commit    closes the first connection in which the client sends COMMIT, and does not pass it on
cut-after-commit     passes the COMMIT on, waits for the answer, and closes without the answer
vanish-after-commit  the same, and accepts no connection afterwards
never-answer         passes nothing on
starting             answers each connection as a server that is starting
starting-then-up     the same for the first six connections
fall-silent          passes nothing from the server on after its second ReadyForQuery
"""
import os
import select
import socket
import struct
import sys

path, server, behaviour = sys.argv[1:4]
done = False


def serve(client):
    """Passes one connection on until an end closes; returns True if it misbehaved."""
    upstream = socket.socket(socket.AF_UNIX)
    upstream.connect(server)
    idle = 0  # answers after which the server was ready for another statement
    committing = False
    while True:
        ready, _, _ = select.select([client, upstream], [], [])
        for source in ready:
            data = source.recv(65536)
            if not data:
                return False
            if source is client:
                committing = committing or (not done and b"COMMIT\0" in data and "commit" in behaviour)
                if committing and behaviour == "cut-before-commit":
                    print("cut", flush=True)
                    return True
                upstream.sendall(data)
            elif committing:
                print("cut", flush=True)
                return True
            elif behaviour != "fall-silent" or idle < 2:
                client.sendall(data)
                idle += data.count(b"Z\0\0\0\x05I")


def refuse(client):
    """Answers as a server that is starting."""
    fields = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
    client.recv(65536)
    client.sendall(b"E" + struct.pack("!I", 4 + len(fields)) + fields)
    client.close()


listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen(16)
kept = []
refused = 0
while True:
    connection, _ = listener.accept()
    if behaviour == "starting" or (behaviour == "starting-then-up" and refused < 6):
        refuse(connection)
        refused += 1
        continue
    if behaviour == "never-answer":
        kept.append(connection)
        continue
    done = serve(connection) or done
    connection.close()
    if done and behaviour == "vanish-after-commit":
        listener.close()
        os.remove(path)
        select.select([], [], [])
