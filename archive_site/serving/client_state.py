"""What the operating system reports of the client at the other end of a socket."""

import fcntl
import socket
import struct
import termios


def has_left(connection: socket.socket) -> bool:
    """Whether the client has closed its side, and sends nothing more."""
    try:
        return not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True


def on_the_way(connection: socket.socket) -> int:
    """Bytes that the system has taken for the client, and that have not arrived there."""
    try:
        (count,) = struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)))
    except OSError:
        return 0
    return int(count)
