// What a tool may use. Every number a guest can run into stands here; both sides of the process border read it.

const kib = 1_024
const mib = 1_024 * kib

export const maxComponentBytes = 16 * mib
/** 64 MiB in pages of 64 KiB, over all memories of a component together. */
export const maxMemoryPages = 1_024
export const maxMemories = 4
/** All that a tool's process may make writable, some 340 of which an idle one has; the transpiler's needs more. */
export const maxProcessMib = 768
export const maxTranspilerMib = 3_072
export const maxTableEntries = 100_000
export const maxTables = 16
export const maxCoreInstances = 32
export const maxCoreModules = 32
export const transpileDeadlineMs = 60_000
export const maxTranspiledBytes = 64 * mib

export const callDeadlineMs = 30_000
export const maxParamsBytes = mib
export const maxOutputBytes = mib
export const maxLogLines = 1_000
export const maxLogLineBytes = 4 * kib
/** Lines that leave the child at once; later ones leave in batches, so that a killed call still has most of its log. */
export const eagerLogLines = 50
export const logBatchMs = 200
export const maxLogFrames = 400
export const maxSchemaBytes = 64 * kib
export const maxDescriptionBytes = 16 * kib

export const maxRequestsPerCall = 50
export const maxRequestBodyBytes = 4 * mib
export const maxRequestHeaderBytes = 32 * kib
export const maxResponseBytes = 10 * mib
export const maxRedirects = 5
export const requestTimeoutMs = 30_000
/** Invocations of other tools and reads of the workspace, per call. */
export const maxHostCalls = 50

/** One message across the process border, either way, and all that a child may send within one call. */
export const maxFrameBytes = 12 * mib
export const maxCallBytes = 96 * mib
export const maxCallFrames = maxRequestsPerCall + maxHostCalls + maxLogFrames + 8

export const idleStopMs = 30_000
/** How long a call may wait for a process to be free. */
export const maxWaitMs = 60_000
/** CPU that a child may have used before it is replaced, and after which the system ends it, parent or no parent. */
export const maxCpuMs = 60_000
export const maxCpuSecs = 120
