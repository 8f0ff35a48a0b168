"""File transfer over a link: the thesis's protocol for thin links, and MAVLink FTP."""
