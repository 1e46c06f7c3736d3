// Limits that the service checks and the browser app keeps to. The browser app loads this file, so it imports nothing.

/** Files that go with one message. */
export const maxAttachments = 20
/** A longer text would fill most models' context by itself. */
export const maxTextFileBytes = 1024 * 1024
/** A picture or a PDF. */
export const maxPictureBytes = 8 * 1024 * 1024
/** All files of one message together. */
export const maxAttachedBytes = 10 * 1024 * 1024

export const maxThreadTitleChars = 200
/** A title that is the first line of a message is truncated to this many characters. */
export const maxFirstTitleChars = 80
/** Threads on one page of the list. */
export const maxThreadsPerPage = 200
/** Threads that one request deletes. */
export const maxDeletedThreads = 100

/** Jobs on one page of the list. */
export const maxJobsPerPage = 100
/** Jobs are counted up to this number. */
export const maxCountedJobs = 10_000

/** The path of a document in memory. */
export const maxDocumentPathChars = 200

/** The text of a mission's schedule. */
export const maxScheduleChars = 200
/** The name of a time zone. */
export const maxZoneChars = 64
/** An instant of a mission that was missed longer ago is never made up for. */
export const maxMakeUpHours = 12

/** WebAssembly memory of a tool, all of its memories together. */
export const maxToolMemoryMib = 64

export const maxUserNameChars = 64
/** The words to the agent that go with an answer to a gate. */
export const maxGateWordChars = 2_000
