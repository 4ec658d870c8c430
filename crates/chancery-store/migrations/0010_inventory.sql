-- Lists of certificates by their end, and the few authorities among many certificates.
CREATE INDEX certificates_end ON certificates (not_after_s, id);
CREATE INDEX certificates_trusted ON certificates (id) WHERE trusted = 1;
