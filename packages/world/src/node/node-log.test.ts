import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNodeLog, type NodeLogOptions } from './node-log.ts'

function capture(options: NodeLogOptions) {
  const lines: string[] = []
  return { lines, log: createNodeLog({ ...options, write: (line) => lines.push(line) }) }
}

test('node log: one readable line per record', () => {
  const { lines, log } = capture({})
  log.with({ server: 'a' }).info('listening', { port: 6443, note: 'two words' })
  log.warn('plain')
  log.error('forged\n2026 INFO line')
  assert.match(
    lines[0] ?? '',
    /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO listening server=a port=6443 note="two words"\n$/,
  )
  assert.match(lines[1] ?? '', /Z WARN plain\n$/)
  assert.match(lines[2] ?? '', /Z ERROR forged 2026 INFO line\n$/)
})

test('node log: one JSON object per record, whose own fields win', () => {
  const { lines, log } = capture({ format: 'json' })
  log.info('said', { level: 'forged', error: new TypeError('bad'), size: 3n })
  const { time, ...rest } = JSON.parse(lines[0] ?? '') as Record<string, unknown>
  assert.equal(typeof time, 'string')
  assert.deepEqual(rest, { level: 'info', error: 'TypeError: bad', size: '3', message: 'said' })
})

test('node log: levels below the threshold are not written', () => {
  const { lines, log } = capture({ level: 'warn' })
  log.debug('no')
  log.info('no')
  log.warn('yes')
  log.error('yes')
  assert.equal(lines.length, 2)
})
