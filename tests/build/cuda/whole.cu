#include "whole.cuh"

int main() { return whole(); }
