// Loads and stores of global memory, each checked. Every access of a kernel to an array comes through one of these.
#pragma once
#include "shadow.hpp"  // read, write

template <class T> T __ldg(const T* p) { return emulated::read(p); }
template <class T> T __ldca(const T* p) { return emulated::read(p); }
template <class T> T __ldcg(const T* p) { return emulated::read(p); }
template <class T> T __ldcs(const T* p) { return emulated::read(p); }
template <class T> T __ldlu(const T* p) { return emulated::read(p); }
template <class T> T __ldcv(const T* p) { return emulated::read(p); }
template <class T> void __stwb(T* p, T x) { emulated::write(p, x); }
template <class T> void __stcg(T* p, T x) { emulated::write(p, x); }
template <class T> void __stcs(T* p, T x) { emulated::write(p, x); }
template <class T> void __stwt(T* p, T x) { emulated::write(p, x); }
