/* A program that calls the module as C programs do, with the header of p11-kit: `caller WHAT MODULE PIN LABEL [NUMBER]`.
   Signatures go to standard output, a line each: message, a space, signature, in hexadecimal digits. */

#include <dlfcn.h>
#include <p11-kit/pkcs11.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 16

static CK_FUNCTION_LIST *module;
static const char *pin, *label;
static int number;

static void expect(const char *what, CK_RV expected, CK_RV code) {
    if (code != expected) {
        fprintf(stderr, "%s: 0x%lx, not 0x%lx\n", what, code, expected);
        exit(1);
    }
}
#define IS(expected, call) expect(#call, expected, call)
#define OK(call) IS(CKR_OK, call)

static void initialize(void) {
    CK_C_INITIALIZE_ARGS arguments = {.flags = CKF_OS_LOCKING_OK};
    OK(module->C_Initialize(&arguments));
}

static CK_SESSION_HANDLE session(void) {
    CK_SESSION_HANDLE session;
    OK(module->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &session));
    return session;
}

static void login(CK_SESSION_HANDLE session) {
    OK(module->C_Login(session, CKU_USER, (CK_BYTE *)pin, strlen(pin)));
}

static CK_ULONG find(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *key) {
    CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    CK_ATTRIBUTE template[] = {{CKA_CLASS, &class, sizeof class}, {CKA_LABEL, (char *)label, strlen(label)}};
    CK_ULONG found;
    OK(module->C_FindObjectsInit(session, template, 2));
    OK(module->C_FindObjects(session, key, 1, &found));
    OK(module->C_FindObjectsFinal(session));
    return found;
}

static CK_OBJECT_HANDLE key(CK_SESSION_HANDLE session) {
    CK_OBJECT_HANDLE key;
    if (find(session, &key) != 1) {
        fprintf(stderr, "no key %s\n", label);
        exit(1);
    }
    return key;
}

static CK_RV sign(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key, const char *message) {
    CK_MECHANISM mechanism = {CKM_ECDSA_SHA256, NULL, 0};
    CK_BYTE signature[64];
    CK_ULONG len = sizeof signature;
    char line[512];
    int at = 0;
    CK_RV code = module->C_SignInit(session, &mechanism, key);
    if (code == CKR_OK)
        code = module->C_Sign(session, (CK_BYTE *)message, strlen(message), signature, &len);
    if (code != CKR_OK)
        return code;
    for (const char *byte = message; *byte; byte++)
        at += sprintf(line + at, "%02x", *byte);
    line[at++] = ' ';
    for (CK_ULONG i = 0; i < len; i++)
        at += sprintf(line + at, "%02x", signature[i]);
    line[at++] = '\n';
    /* At once, and past stdio: a child has a copy of what other threads have in its buffer. */
    if (write(STDOUT_FILENO, line, at) != at)
        exit(1);
    return CKR_OK;
}

static void *sign_many(void *argument) {
    long thread = (long)argument;
    CK_SESSION_HANDLE own = session();
    CK_OBJECT_HANDLE with = key(own);
    for (int i = thread; i < number; i += THREADS) {
        char message[64];
        sprintf(message, "message %d", i);
        OK(sign(own, with, message));
    }
    OK(module->C_CloseSession(own));
    return NULL;
}

/* How often a signature was not had from a server that was not there. */
static int refused;

/* The same, each as often as it takes, a minute at most. */
static void *sign_in_the_end(void *argument) {
    long thread = (long)argument;
    CK_SESSION_HANDLE own = session();
    CK_OBJECT_HANDLE with = key(own);
    for (int i = thread; i < number; i += THREADS) {
        char message[64];
        CK_RV code;
        sprintf(message, "message %d", i);
        for (int tries = 0; (code = sign(own, with, message)) == CKR_DEVICE_ERROR && tries < 3000; tries++) {
            __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
            usleep(20000);
        }
        expect("sign", CKR_OK, code);
    }
    OK(module->C_CloseSession(own));
    return NULL;
}

static void threads(void *(*each)(void *)) {
    pthread_t all[THREADS];
    initialize();
    login(session());
    for (long i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, each, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
    OK(module->C_Finalize(NULL));
}

/* Children are made while other threads sign: each has to begin anew, and can. */
static void forks(void) {
    pthread_t all[THREADS];
    initialize();
    CK_SESSION_HANDLE own = session();
    login(own);
    CK_OBJECT_HANDLE with = key(own);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, sign_many, (void *)i);
    OK(sign(own, with, "of the parent, before"));
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        if (child == 0) {
            IS(CKR_CRYPTOKI_NOT_INITIALIZED, module->C_CloseSession(own));
            IS(CKR_CRYPTOKI_NOT_INITIALIZED, module->C_Finalize(NULL));
            initialize();
            CK_SESSION_HANDLE of_child = session();
            login(of_child);
            OK(sign(of_child, key(of_child), "of a child"));
            OK(module->C_Finalize(NULL));
            exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        if (status != 0) {
            fprintf(stderr, "a child ended with %d\n", status);
            exit(1);
        }
    }
    OK(sign(own, with, "of the parent, afterwards"));
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
    OK(module->C_Finalize(NULL));
}

/* Signs once for each line of standard input, and says how that went. */
static void commands(void) {
    char line[64];
    initialize();
    CK_SESSION_HANDLE own = session();
    login(own);
    CK_OBJECT_HANDLE with = key(own);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        printf("0x%lx\n", sign(own, with, line));
        fflush(stdout);
    }
}

/* What the standard demands of arguments, lengths and states. */
static void rules(void) {
    CK_C_INITIALIZE_ARGS reserved = {.flags = CKF_OS_LOCKING_OK, .pReserved = &reserved};
    CK_C_INITIALIZE_ARGS some = {.LockMutex = (CK_LOCKMUTEX)rules};
    CK_C_INITIALIZE_ARGS own_locks = {(CK_CREATEMUTEX)rules, (CK_DESTROYMUTEX)rules, (CK_LOCKMUTEX)rules,
                                      (CK_UNLOCKMUTEX)rules, 0, NULL};
    CK_INFO info;
    IS(CKR_CRYPTOKI_NOT_INITIALIZED, module->C_GetInfo(&info));
    IS(CKR_ARGUMENTS_BAD, module->C_Initialize(&reserved));
    IS(CKR_ARGUMENTS_BAD, module->C_Initialize(&some));
    IS(CKR_CANT_LOCK, module->C_Initialize(&own_locks));
    OK(module->C_Initialize(NULL));
    IS(CKR_CRYPTOKI_ALREADY_INITIALIZED, module->C_Initialize(NULL));
    OK(module->C_GetInfo(&info));
    IS(CKR_ARGUMENTS_BAD, module->C_GetInfo(NULL));

    CK_ULONG len = 0;
    CK_SLOT_ID slots[1];
    IS(CKR_ARGUMENTS_BAD, module->C_GetSlotList(CK_TRUE, NULL, NULL));
    OK(module->C_GetSlotList(CK_TRUE, NULL, &len));
    expect("slots", 1, len);
    len = 0;
    IS(CKR_BUFFER_TOO_SMALL, module->C_GetSlotList(CK_TRUE, slots, &len));
    expect("slots", 1, len);
    CK_SESSION_HANDLE own;
    IS(CKR_SLOT_ID_INVALID, module->C_OpenSession(7, CKF_SERIAL_SESSION, NULL, NULL, &own));
    IS(CKR_SESSION_PARALLEL_NOT_SUPPORTED, module->C_OpenSession(0, 0, NULL, NULL, &own));
    IS(CKR_SESSION_HANDLE_INVALID, module->C_CloseSession(77));
    IS(CKR_FUNCTION_NOT_SUPPORTED, module->C_GenerateRandom(own, NULL, 0));
    IS(CKR_FUNCTION_NOT_PARALLEL, module->C_CancelFunction(own));

    own = session();
    CK_OBJECT_HANDLE with;
    expect("before the login", 0, find(own, &with));
    IS(CKR_USER_TYPE_INVALID, module->C_Login(own, CKU_SO, (CK_BYTE *)pin, strlen(pin)));
    IS(CKR_PIN_INCORRECT, module->C_Login(own, CKU_USER, (CK_BYTE *)"wrong", 5));
    login(own);
    IS(CKR_USER_ALREADY_LOGGED_IN, module->C_Login(own, CKU_USER, (CK_BYTE *)pin, strlen(pin)));
    with = key(own);

    CK_BYTE value[4];
    CK_BBOOL always;
    CK_ATTRIBUTE attributes[] = {{CKA_VALUE, value, sizeof value},
                                 {CKA_ALWAYS_AUTHENTICATE, &always, 1},
                                 {CKA_EC_PARAMS, value, 1},
                                 {CKA_MODULUS, NULL, 0},
                                 {CKA_EC_POINT, NULL, 0}};
    IS(CKR_ATTRIBUTE_SENSITIVE, module->C_GetAttributeValue(own, with, attributes, 5));
    expect("a secret", CK_UNAVAILABLE_INFORMATION, attributes[0].ulValueLen);
    expect("CKA_ALWAYS_AUTHENTICATE", CK_FALSE, always);
    expect("too small", CK_UNAVAILABLE_INFORMATION, attributes[2].ulValueLen);
    expect("absent", CK_UNAVAILABLE_INFORMATION, attributes[3].ulValueLen);
    expect("CKA_EC_POINT", 67, attributes[4].ulValueLen);
    IS(CKR_OBJECT_HANDLE_INVALID, module->C_GetAttributeValue(own, 4711, attributes, 1));

    CK_MECHANISM ecdsa = {CKM_ECDSA_SHA256, NULL, 0}, other_hash = {CKM_ECDSA_SHA384, NULL, 0},
                 rsa = {CKM_SHA256_RSA_PKCS, NULL, 0}, unknown = {CKM_AES_CBC, NULL, 0},
                 with_parameter = {CKM_ECDSA, value, 4}, digest = {CKM_ECDSA, NULL, 0};
    IS(CKR_MECHANISM_INVALID, module->C_SignInit(own, &other_hash, with));
    IS(CKR_MECHANISM_INVALID, module->C_SignInit(own, &unknown, with));
    IS(CKR_KEY_TYPE_INCONSISTENT, module->C_SignInit(own, &rsa, with));
    IS(CKR_MECHANISM_PARAM_INVALID, module->C_SignInit(own, &with_parameter, with));
    IS(CKR_KEY_HANDLE_INVALID, module->C_SignInit(own, &ecdsa, 4711));
    IS(CKR_OPERATION_NOT_INITIALIZED, module->C_SignUpdate(own, value, 1));
    OK(module->C_SignInit(own, &ecdsa, with));
    IS(CKR_OPERATION_ACTIVE, module->C_SignInit(own, &ecdsa, with));

    /* In parts, with two questions before the answer: one signature is made, as the test counts. */
    CK_BYTE signature[64];
    OK(module->C_SignUpdate(own, (CK_BYTE *)"in ", 3));
    OK(module->C_SignUpdate(own, (CK_BYTE *)"parts", 5));
    OK(module->C_SignFinal(own, NULL, &len));
    expect("signature", 64, len);
    len = 63;
    IS(CKR_BUFFER_TOO_SMALL, module->C_SignFinal(own, signature, &len));
    expect("signature", 64, len);
    OK(module->C_SignFinal(own, signature, &len));
    printf("696e207061727473 ");
    for (int i = 0; i < 64; i++)
        printf("%02x", signature[i]);
    puts("");
    IS(CKR_OPERATION_NOT_INITIALIZED, module->C_SignFinal(own, signature, &len));
    /* What fails ends it. */
    OK(module->C_SignInit(own, &ecdsa, with));
    IS(CKR_ARGUMENTS_BAD, module->C_SignUpdate(own, NULL, 5));
    IS(CKR_OPERATION_NOT_INITIALIZED, module->C_SignFinal(own, signature, &len));
    OK(module->C_SignInit(own, &ecdsa, with));
    IS(CKR_ARGUMENTS_BAD, module->C_Sign(own, value, 1, signature, NULL));
    IS(CKR_OPERATION_NOT_INITIALIZED, module->C_SignFinal(own, signature, &len));
    /* What was begun in parts is not ended as a whole. */
    OK(module->C_SignInit(own, &ecdsa, with));
    OK(module->C_SignUpdate(own, (CK_BYTE *)"in ", 3));
    len = 64;
    IS(CKR_OPERATION_NOT_INITIALIZED, module->C_Sign(own, (CK_BYTE *)"parts", 5, signature, &len));
    IS(CKR_OPERATION_NOT_INITIALIZED, module->C_SignFinal(own, signature, &len));
    OK(module->C_SignInit(own, &digest, with));
    IS(CKR_DATA_LEN_RANGE, module->C_Sign(own, signature, 31, signature, &len));
    OK(module->C_SignInit(own, &digest, with));
    IS(CKR_DATA_LEN_RANGE, module->C_SignUpdate(own, (CK_BYTE *)&info, sizeof info));

    OK(module->C_Logout(own));
    expect("after the logout", 0, find(own, &with));
    OK(module->C_CloseAllSessions(0));
    IS(CKR_SESSION_HANDLE_INVALID, module->C_CloseSession(own));
    OK(module->C_Finalize(NULL));
    IS(CKR_CRYPTOKI_NOT_INITIALIZED, module->C_Finalize(NULL));
}

int main(int count, char **arguments) {
    void *library = dlopen(arguments[2], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    CK_RV (*list)(CK_FUNCTION_LIST **) = dlsym(library, "C_GetFunctionList");
    pin = arguments[3];
    label = arguments[4];
    number = count > 5 ? atoi(arguments[5]) : 0;
    IS(CKR_ARGUMENTS_BAD, list(NULL));
    OK(list(&module));
    expect("major version", 2, module->version.major);
    const char *what = arguments[1];
    if (!strcmp(what, "threads"))
        threads(sign_many);
    else if (!strcmp(what, "outage")) {
        threads(sign_in_the_end);
        fprintf(stderr, "%d\n", refused);
    } else if (!strcmp(what, "forks"))
        forks();
    else if (!strcmp(what, "commands"))
        commands();
    else
        rules();
    return 0;
}
