-- What becomes of the signature that a file has already: Replace or Append. NULL for formats whose signatures stand apart.
ALTER TABLE signing_requests ADD COLUMN existing_signature TEXT;
