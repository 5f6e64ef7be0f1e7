#pragma once
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <openssl/x509err.h>

// Macros that Swift can't import, as constants and functions.

/// No compression, no renegotiation; the server's order of ciphers counts, but a client that puts ChaCha20 first has no fast AES.
static const uint64_t TLS_CONTEXT_OPTIONS =
    SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA;

static const int PUBLIC_KEY_SELECTION = EVP_PKEY_PUBLIC_KEY;

static inline int ERR_GET_LIB_OF(unsigned long code) { return ERR_GET_LIB(code); }
static inline int ERR_GET_REASON_OF(unsigned long code) { return ERR_GET_REASON(code); }
