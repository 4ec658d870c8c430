// All tests in one process, which share one server.

import "./conveniences.js";
import "./operations.js";
import "./readme.js";
import "./retries.js";
import "./session.js";
