-- Each is signed anew, and its delta list has another base: authorities of one subject have each other's entries from now on.
UPDATE crls SET changes = changes + 1, base_s = 0;
