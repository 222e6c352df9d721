
// Every operation is rounded to its own type, on its own, and by the rules of IEEE 754.
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "arithmetic has excess precision: on 32-bit x86, this needs -msse2 -mfpmath=sse"
#endif
#if defined(__FAST_MATH__) || defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "flags for fast arithmetic change what this returns"
#endif
#if defined(__clang__) || !defined(__GNUC__)
#pragma STDC FP_CONTRACT OFF
#endif
