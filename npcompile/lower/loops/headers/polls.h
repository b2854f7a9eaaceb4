// Calls that leave all registers of the loop that makes them as they are.
//
// After a call as C++ makes it no vector register, and few others, have the values from before. GCC then keeps the
// floats of a loop that may make one in memory, at each trip, however seldom it is made.
#pragma once

#if defined(__x86_64__) && defined(__ELF__) && defined(__XSAVE__) && defined(__AVX__) && !defined(__APX_F__)

// Calls the function in rax with the argument in rdi. The compiler's flags leave no values below the stack's end.
// The mask is that of the vector registers, and the area larger than all processors need for these.
__asm__(R"(
    .pushsection .text
    .p2align 4
    .type npl_keeping_registers, @function
npl_keeping_registers:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    push %rcx
    push %rdx
    push %rsi
    push %rdi
    push %r8
    push %r9
    push %r10
    push %r11
    sub $4096, %rsp
    and $-64, %rsp
    mov %rax, %r11
    xor %eax, %eax
    mov %rax, 512(%rsp)
    mov %rax, 520(%rsp)
    mov %rax, 528(%rsp)
    mov %rax, 536(%rsp)
    mov %rax, 544(%rsp)
    mov %rax, 552(%rsp)
    mov %rax, 560(%rsp)
    mov %rax, 568(%rsp)
    mov $0xe6, %eax
    xor %edx, %edx
    xsave64 (%rsp)
    call *%r11
    mov %rax, %r11
    mov $0xe6, %eax
    xor %edx, %edx
    xrstor64 (%rsp)
    mov %r11, %rax
    lea -64(%rbp), %rsp
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rdi
    pop %rsi
    pop %rdx
    pop %rcx
    pop %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size npl_keeping_registers, .-npl_keeping_registers
    .popsection
)");

namespace npl {

static inline bool keeping_registers(bool (*function)(void *), void *argument) {
    void *answer = reinterpret_cast<void *>(function);
    __asm__ volatile("call npl_keeping_registers" : "+a"(answer) : "D"(argument) : "memory", "cc");
    return bool(char(reinterpret_cast<__INTPTR_TYPE__>(answer)));
}

}  // namespace npl

#else

namespace npl {

static inline bool keeping_registers(bool (*function)(void *), void *argument) { return function(argument); }

}  // namespace npl

#endif
