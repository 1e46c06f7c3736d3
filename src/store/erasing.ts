// Which statements erase something.

/**
 * Tables with what people wrote, or what tells them apart. A row that is deleted there must leave the file too. Not those
 * where turns and timers only tidy up, such as rate counters: what they have of a thread is erased with the thread.
 */
export const erasedTables: readonly string[] = (
  'threads turns items thread_chunks documents document_versions chunks skills skill_files skill_contents missions ' +
  'mission_runs notification_ways users secrets grants settings tools mcp_servers channel_accounts channel_chats'
).split(' ')
/** An item of a conversation is removed by an update of its body. */
const erasing = new RegExp(`^(?:DELETE FROM (?:${erasedTables.join('|')})|UPDATE items SET body)\\b`)

/** True for a statement after which SQLite's file has to be scrubbed, if it changes any row. */
export function isErasing(sql: string): boolean {
  return erasing.test(sql)
}
