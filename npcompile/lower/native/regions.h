// The calls that GCC makes of `#pragma omp`, answered by the process's team of threads (team.h). Where there is no team,
// a region has one share. In each kernel's library, hidden there.
#if defined(__GNUC__) && !defined(__clang__)
struct npc_team_calls {
    bool (*run)(void (*)(void*, unsigned), void*, unsigned);
    void (*barrier)(unsigned);
    bool (*single)(unsigned);
};
NPC_EXPORT const npc_team_calls* npc_team = nullptr;  // set by who loads the library
static thread_local unsigned npc_number = 0, npc_count = 1, npc_singles = 0;
struct npc_region {
    void (*body)(void*);
    void* data;
    unsigned count;
};
static void npc_share(void* given, unsigned number) {
    const npc_region& region = *static_cast<npc_region*>(given);
    npc_number = number, npc_count = region.count, npc_singles = 0;
    region.body(region.data);
    npc_number = 0, npc_count = 1;
}
extern "C" {
void GOMP_parallel(void (*body)(void*), void* data, unsigned count, unsigned) {
    npc_region region{body, data, count};
    if (count > 1 && npc_count == 1 && npc_team && npc_team->run(npc_share, &region, count)) return;
    const unsigned number = npc_number, outer = npc_count;
    npc_number = 0, npc_count = 1;
    body(data);
    npc_number = number, npc_count = outer;
}
void GOMP_barrier() {
    if (npc_count > 1) npc_team->barrier(npc_count);
}
bool GOMP_single_start() { return npc_count == 1 || npc_team->single(npc_singles++); }
int omp_get_thread_num() noexcept { return int(npc_number); }
int omp_get_num_threads() noexcept { return int(npc_count); }
}
#endif
