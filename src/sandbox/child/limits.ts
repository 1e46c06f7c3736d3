// Limits of a tool, its processes and its requests. Read by the service and by the tool's own process.

const kib = 1_024
const mib = 1_024 * kib

export const maxComponentBytes = 16 * mib
export const maxMemories = 4
/** Writable memory of a tool's process (`ulimit -d`). An idle process already has about 340 MiB. */
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
/** The first lines of a call are sent one by one, later ones in batches: a killed call still has most of its log. */
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
/** Invocations of other tools and reads of the workspace in one call, together. */
export const maxHostCalls = 50

/** One frame between the service and a child, in either direction. */
export const maxFrameBytes = 12 * mib
/** All that a child may send within one call. */
export const maxCallBytes = 96 * mib
export const maxCallFrames = maxRequestsPerCall + maxHostCalls + maxLogFrames + 8

export const idleStopMs = 30_000
/** Longest wait of a call for a free process. */
export const maxWaitMs = 60_000
/** A child that has used more CPU than this is replaced after its call. */
export const recycleAfterCpuMs = 60_000
/** The system kills a child after this much CPU, even when the service is gone. */
export const maxCpuSecs = 120
