// Which sanitizers this is compiled with; gcc and clang say it in ways of their own.
#pragma once

#ifdef __has_feature  // clang
#if __has_feature(address_sanitizer)
#define TIDEPOOL_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer)
#define TIDEPOOL_THREAD_SANITIZER
#endif
#endif
#ifdef __SANITIZE_ADDRESS__  // gcc
#define TIDEPOOL_ADDRESS_SANITIZER
#endif
#ifdef __SANITIZE_THREAD__
#define TIDEPOOL_THREAD_SANITIZER
#endif
