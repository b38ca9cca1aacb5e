import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decisionWord, TriggerMetrics } from './trigger-metrics.ts'

test('trigger metrics: what is followed, the last decision, polls and errors', () => {
  const metrics = new TriggerMetrics()
  const things = { group: 'g.dev', resource: 'things', source: 'record' } as const
  metrics.decided('things.g.dev', { ...things, decision: 'waits' }, { asked: 0, cancelled: 1 })
  metrics.decided('things.g.dev', { ...things, decision: 'asked' }, { asked: 1, cancelled: 0 })
  const others = { group: '', resource: 'others', source: 'discovery', decision: 'clean' } as const
  metrics.decided('others', others, { asked: 0, cancelled: 0 })
  metrics.decided('gone', { ...others, resource: 'gone' }, { asked: 0, cancelled: 0 })
  metrics.forget('gone')
  metrics.polled('partial')
  metrics.failed()
  const samples = metrics
    .text()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.endsWith(' 0'))
  assert.deepEqual(samples, [
    'strata_migration_trigger_resources{source="discovery"} 1',
    'strata_migration_trigger_resources{source="record"} 1',
    'strata_migration_trigger_decision{group="g.dev",resource="things",decision="asked"} 1',
    'strata_migration_trigger_decision{group="",resource="others",decision="clean"} 1',
    'strata_migration_trigger_migrations_total{did="asked"} 1',
    'strata_migration_trigger_migrations_total{did="cancelled"} 1',
    'strata_migration_trigger_polls_total{result="partial"} 1',
    'strata_migration_trigger_errors_total 1',
  ])
})

test('trigger metrics: a decision in one word', () => {
  const rows = [
    [{ create: true, cancel: 2, isClean: false }, 'asked'],
    [{ create: false, cancel: 1, isClean: true }, 'cancelled'],
    [{ create: false, cancel: 0, isClean: true }, 'clean'],
    [{ create: false, cancel: 0, isClean: false }, 'waits'],
  ] as const
  for (const [facts, want] of rows) assert.equal(decisionWord(facts), want)
})
