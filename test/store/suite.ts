// Every promise of the store, asked of one database. Each test opens a store of its own.
import { describe } from 'node:test'
import type { Open } from './harness.ts'
import { answerTests } from './suite-answers.ts'
import { boundTests } from './suite-bounds.ts'
import { cancelTests } from './suite-cancel.ts'
import { chainTests } from './suite-chain.ts'
import { chainEndTests } from './suite-chain-end.ts'
import { chainStartTests } from './suite-chain-start.ts'
import { channelTests } from './suite-channels.ts'
import { claimTests } from './suite-claim.ts'
import { conversationTests } from './suite-conversations.ts'
import { documentTests } from './suite-documents.ts'
import { dutyTests } from './suite-duties.ts'
import { eraseTests } from './suite-erase.ts'
import { forkTests } from './suite-fork.ts'
import { gateTests } from './suite-gates.ts'
import { grantTests } from './suite-grants.ts'
import { identityTests } from './suite-identities.ts'
import { keepTests } from './suite-keep.ts'
import { reachTests } from './suite-reach.ts'
import { mcpTests } from './suite-mcp.ts'
import { missionChangeTests } from './suite-mission-changes.ts'
import { missionRunTests } from './suite-mission-runs.ts'
import { missionTests } from './suite-missions.ts'
import { queueTests } from './suite-queue.ts'
import { notificationTests } from './suite-notifications.ts'
import { outboxTests } from './suite-outbox.ts'
import { readTests } from './suite-read.ts'
import { recordTests } from './suite-record.ts'
import { secretTests } from './suite-secrets.ts'
import { sessionTests } from './suite-sessions.ts'
import { shelfTests } from './suite-shelf.ts'
import { skillTests } from './suite-skills.ts'
import { resumeTests } from './suite-resume.ts'
import { startTests } from './suite-start.ts'
import { storageTests } from './suite-storage.ts'
import { threadIndexTests } from './suite-thread-index.ts'
import { threadIndexingTests } from './suite-thread-indexing.ts'
import { usageTests } from './suite-usage.ts'
import { variantTests } from './suite-variants.ts'

export function storeTests(name: string, open: Open): void {
  describe(`the store on ${name}`, () => {
    startTests(open)
    resumeTests(open)
    recordTests(open)
    claimTests(open)
    queueTests(open)
    gateTests(open)
    answerTests(open)
    grantTests(open)
    cancelTests(open)
    readTests(open)
    reachTests(open)
    boundTests(open)
    eraseTests(open)
    keepTests(open)
    secretTests(open)
    sessionTests(open)
    identityTests(open)
    forkTests(open)
    chainTests(open)
    chainEndTests(open)
    chainStartTests(open)
    conversationTests(open)
    documentTests(open)
    storageTests(open)
    usageTests(open)
    skillTests(open)
    mcpTests(open)
    dutyTests(open)
    missionTests(open)
    missionChangeTests(open)
    missionRunTests(open)
    channelTests(open)
    notificationTests(open)
    outboxTests(open)
    threadIndexTests(open)
    threadIndexingTests(open)
    shelfTests(open)
    variantTests(open)
  })
}
