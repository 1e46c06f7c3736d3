// Conditions on the status of a turn. Turns that are not over are few among all that were ever stored, and so are those
// that broke: each kind has an index that holds only them. SQLite takes such an index only where the condition it was
// made with stands in the statement word for word, so each of these begins with that of its index.

/** Turns that hold their thread. */
export const isActive = `status IN ('running', 'waiting')`
export const isRunning = `${isActive} AND status = 'running'`
export const isWaiting = `${isActive} AND status = 'waiting'`
/** By the word that is stored; see `storedStatus`. */
export const isCompleted = `status = 'done'`
export const isQueued = `status = 'queued'`
export const isBroken = `status IN ('failed', 'cancelled')`
export const isFailed = `${isBroken} AND status = 'failed'`
export const isCancelled = `${isBroken} AND status = 'cancelled'`
