// Compiles with the macro, too.
#ifdef AMPHORA_FAIL_compiles
int main() {}
#endif
