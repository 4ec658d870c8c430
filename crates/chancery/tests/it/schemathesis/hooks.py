"""What Schemathesis needs to know of Chancery: how to log in, and one good call of every operation.

Generated calls alone would be refused for the most part, since they name objects that do not exist. So every
operation begins with a call that must succeed, and half of the valid generated calls get its path. Every answer is
noted in the file of CHANCERY_ANSWERS, one `METHOD path status` a line; the Rust test beside this file judges them.
"""

import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parent))

import schemathesis
from good_calls import GOOD_CALLS
from installation import Client, administrators
from schemathesis.auths import AuthContext, set_on_case
from schemathesis.core.failures import AcceptedNegativeData

LOGOUT = "/home/v1/logout"
SETTINGS = "/api/v2/system/settings"

_good_paths = {}


class Bearer:
    def set(self, case, token, _):
        case.headers["Authorization"] = f"Bearer {token}"


# A token lives for ten minutes.
@schemathesis.auth(refresh_interval=240, retry_on=[]).skip_for(path=LOGOUT)
class KeptFresh(Bearer):
    def get(self, _, __):
        return administrators().token()


@schemathesis.auth(refresh_interval=None).apply_to(path=LOGOUT)
class ForOneLogout(Bearer):
    def get(self, _, __):
        return Client.application().token()


@schemathesis.hook
def before_add_examples(context, examples):
    operation = context.operation
    call = GOOD_CALLS[operation.label]()
    _good_paths[operation.label] = call.get("path_parameters", {})
    if "body" in call:
        call.setdefault("media_type", "application/json")
    case = operation.Case(**call)
    set_on_case(case, AuthContext(operation=operation, app=None), None)
    # The document's own examples name objects of the installation that they were recorded from.
    examples[:] = [case]


@schemathesis.hook
def before_call(_, case, kwargs):
    good = _good_paths.get(case.operation.label)
    if good and case.meta and case.meta.generation.mode.is_positive and is_even(case.path_parameters):
        case.path_parameters.update(good)


def is_even(path_parameters):
    """About half of them, and always the same ones: a call that failed is repeated as it was."""
    return sum(str(path_parameters).encode()) % 2 == 0


@schemathesis.serializer("application/ocsp-request", "application/timestamp-query")
def octets(_, value):
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def filter_failure(_, failure, case, __):
    """RFC 6960 and 3161 have refusals of their own for what is no request, and HTTP does not show them."""
    return not (case.path.startswith(("/ocsp", "/tsa")) and isinstance(failure, AcceptedNegativeData))


@schemathesis.hook
def after_call(_, case, response):
    with open(os.environ["CHANCERY_ANSWERS"], "a", encoding="utf-8") as answers:
        print(case.method.upper(), case.path, response.status_code, file=answers)
    if case.path == SETTINGS and case.method.upper() == "PATCH" and response.status_code == 200:
        # With API access off, only a session's cookie can switch it on again.
        administrators().send("PATCH", SETTINGS, {"apiAccess": True})
