// Linked into the tests under AddressSanitizer: shared libraries stay loaded. A Vulkan driver that is unloaded takes the
// globals that reach its memory with it, and that memory would be reported as leaked, by a module that nobody can name.
extern "C" __attribute__((visibility("default"))) int dlclose(void* library);
extern "C" int dlclose(void*) { return 0; }

// LeakSanitizer up to gcc 13 takes some libraries' thread-local memory for that of an old C library, reads its size where
// there is none, and crashes at exit: oneDNN's is such a library. Without this interception it does not look there.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options();  // NOLINT: the sanitizer's name
extern "C" const char* __asan_default_options() { return "intercept_tls_get_addr=0"; }   // NOLINT
