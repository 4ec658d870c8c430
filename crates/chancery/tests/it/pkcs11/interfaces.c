/* A program that asks the module for its interfaces as PKCS#11 3.0 has them, with the header of NSS: `interfaces MODULE PIN
   LABEL`. A signature goes to standard output: message, a space, signature, in hexadecimal digits. */

#include <dlfcn.h>
#include <nspr.h>
#include <pkcs11.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(const char *what, CK_RV expected, CK_RV code) {
    if (code != expected) {
        fprintf(stderr, "%s: 0x%lx, not 0x%lx\n", what, code, expected);
        exit(1);
    }
}
#define IS(expected, call) expect(#call, expected, call)
#define OK(call) IS(CKR_OK, call)

static void is_of(CK_INTERFACE *interface, int major, int minor) {
    CK_VERSION *version = interface->pFunctionList;
    expect("the name", 0, strcmp((char *)interface->pInterfaceName, "PKCS 11"));
    expect("the major version", major, version->major);
    expect("the minor version", minor, version->minor);
}

static void sign(CK_FUNCTION_LIST_3_0 *module, const char *pin, const char *label) {
    CK_C_INITIALIZE_ARGS arguments = {.flags = CKF_OS_LOCKING_OK};
    CK_INFO info;
    CK_SESSION_HANDLE session;
    OK(module->C_Initialize(&arguments));
    OK(module->C_GetInfo(&info));
    expect("the version", 3, info.cryptokiVersion.major);
    OK(module->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &session));
    IS(CKR_FUNCTION_NOT_SUPPORTED, module->C_LoginUser(session, CKU_USER, NULL, 0, NULL, 0));
    OK(module->C_Login(session, CKU_USER, (CK_BYTE *)pin, strlen(pin)));

    CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    CK_ATTRIBUTE template[] = {{CKA_CLASS, &class, sizeof class}, {CKA_LABEL, (char *)label, strlen(label)}};
    CK_OBJECT_HANDLE key;
    CK_ULONG found, len = 64;
    CK_BYTE signature[64];
    OK(module->C_FindObjectsInit(session, template, 2));
    OK(module->C_FindObjects(session, &key, 1, &found));
    expect("keys", 1, found);
    IS(CKR_OPERATION_ACTIVE, module->C_FindObjectsInit(session, template, 2));
    OK(module->C_SessionCancel(session, CKF_FIND_OBJECTS));
    IS(CKR_OPERATION_NOT_INITIALIZED, module->C_FindObjectsFinal(session));

    CK_MECHANISM mechanism = {CKM_ECDSA_SHA256, NULL, 0};
    IS(CKR_FUNCTION_NOT_SUPPORTED, module->C_MessageSignInit(session, &mechanism, key));
    IS(CKR_FUNCTION_NOT_SUPPORTED, module->C_MessageSignFinal(session));
    OK(module->C_SignInit(session, &mechanism, key));
    OK(module->C_SignUpdate(session, (CK_BYTE *)"not this", 8));
    OK(module->C_SessionCancel(session, CKF_SIGN | CKF_VERIFY));
    OK(module->C_SessionCancel(session, CKF_SIGN));
    IS(CKR_OPERATION_NOT_INITIALIZED, module->C_SignUpdate(session, (CK_BYTE *)"x", 1));
    IS(CKR_SESSION_HANDLE_INVALID, module->C_SessionCancel(77, CKF_SIGN));
    OK(module->C_SignInit(session, &mechanism, key));
    OK(module->C_Sign(session, (CK_BYTE *)"x", 1, signature, &len));
    printf("78 ");
    for (CK_ULONG i = 0; i < len; i++)
        printf("%02x", signature[i]);
    puts("");
    OK(module->C_Finalize(NULL));
}

int main(int count, char **arguments) {
    void *library = dlopen(arguments[1], RTLD_NOW);
    if (count != 4 || !library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    CK_C_GetInterfaceList list = (CK_C_GetInterfaceList)dlsym(library, "C_GetInterfaceList");
    CK_C_GetInterface get = (CK_C_GetInterface)dlsym(library, "C_GetInterface");
    CK_C_GetFunctionList functions = (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList");
    CK_INTERFACE all[2], *one;
    CK_FUNCTION_LIST *old;
    CK_ULONG len = 0;
    CK_UTF8CHAR *name = (CK_UTF8CHAR *)"PKCS 11", *other = (CK_UTF8CHAR *)"PKCS 1", *vendor = (CK_UTF8CHAR *)"Vendor X";
    CK_VERSION newer = {3, 0}, older = {2, 40}, unknown = {3, 1};

    IS(CKR_ARGUMENTS_BAD, list(all, NULL));
    OK(list(NULL, &len));
    expect("interfaces", 2, len);
    len = 1;
    IS(CKR_BUFFER_TOO_SMALL, list(all, &len));
    OK(list(all, &len));
    is_of(&all[0], 3, 0);
    is_of(&all[1], 2, 40);

    OK(functions(&old));
    OK(get(name, &older, &one, 0));
    expect("the list of 2.40", (CK_RV)old, (CK_RV)one->pFunctionList);
    IS(CKR_ARGUMENTS_BAD, get(name, NULL, NULL, 0));
    IS(CKR_FUNCTION_FAILED, get(other, NULL, &one, 0));
    IS(CKR_FUNCTION_FAILED, get(vendor, NULL, &one, 0));
    IS(CKR_FUNCTION_FAILED, get(name, &unknown, &one, 0));
    IS(CKR_FUNCTION_FAILED, get(name, &newer, &one, CKF_INTERFACE_FORK_SAFE));
    OK(get(NULL, NULL, &one, 0));
    is_of(one, 3, 0);
    OK(get(name, &newer, &one, 0));
    sign(one->pFunctionList, arguments[2], arguments[3]);
    return 0;
}
