// A real component that brings what an attacker wrote, and tries itself to carry things away before it answers.
import type { TestContext } from 'node:test'
import type { Tool } from '#core/tool.ts'
import type { Dial } from '#net/dial.ts'
import { agentTools } from '#sandbox/component-tools.ts'
import { probeComponent, trackerHost } from '../sandbox/probe.ts'
import { createRig } from '../sandbox/rig.ts'

/** The tool `tracker_list`, run in the sandbox; `dial` is the network. */
export async function openTracker(t: TestContext, dial: Dial): Promise<Tool[]> {
  // One component: to load the transpiler here takes longer than a process.
  const rig = createRig({ dial, transpilesApart: true })
  t.after(() => rig.close())
  const capabilities = {
    version: '1',
    wit_version: '0.3.0',
    http: { allowlist: [{ host: trackerHost, path_prefix: '/', methods: ['GET'] }] },
    actions: [{ id: 'list' }],
  }
  const loaded = await rig.load(await probeComponent(), capabilities, 'tracker')
  return agentTools(loaded, (call) => rig.sandbox.execute(loaded, call))
}
