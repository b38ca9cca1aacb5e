import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { WithheldLog } from './withheld-log.ts'

test('withheld: logged once for each state that lasts, and when it is over', async () => {
  const simulation = new Simulation('withheld')
  const { clock } = simulation
  const lines: string[] = []
  const log = createLog((level, message, fields) => {
    lines.push(`${level} ${message}${fields?.['withheld'] === undefined ? '' : `: ${fields['withheld']}`}`)
  })
  let problem: string | undefined
  const withheld = new WithheldLog({ clock, log }, () => problem, new AbortController().signal)
  const show = async (next: string | undefined): Promise<void> => {
    problem = next
    withheld.check()
    await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  }
  const pass = () => simulation.run({ untilMs: simulation.nowMs + 10_000 })
  // A start: everything waits for a moment.
  await show('v1 (for b)')
  await show(undefined)
  await pass()
  assert.deepEqual(lines, [])
  await show('v2 (for b)')
  await pass()
  await show('v2 (for b)')
  await pass()
  await show(undefined)
  await pass()
  assert.deepEqual(lines, [
    'warn some resources are not served yet, because not all servers serve them: v2 (for b)',
    'info all servers serve the same resources; nothing is withheld',
  ])
})
