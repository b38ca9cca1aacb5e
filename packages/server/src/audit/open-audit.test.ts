import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { backupName } from './decide-backups.ts'
import { openLogFile } from './log-file.ts'
import { type AuditFlags, openAudit } from './open-audit.ts'

const simulation = new Simulation('audit')
const world = simulation.process('a')
let directory = ''
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'strata-audit-'))
  await writeFile(
    join(directory, 'policy.yaml'),
    'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n',
  )
  await writeFile(join(directory, 'broken.yaml'), 'rules: [')
})
after(() => rm(directory, { recursive: true, force: true }))
const at = (name: string): string => join(directory, name)

test('audit: without flags there is none', async () => {
  assert.equal(await openAudit({ auditLogMaxsize: 1 }, world, process.stdout), undefined)
})

test('audit: events are appended to the file, which only its owner can read', async () => {
  const flags = { auditPolicyFile: at('policy.yaml'), auditLogPath: at('a.log') }
  for (const line of ['{"a":1}', '{"b":2}']) {
    const audit = await openAudit(flags, world, process.stdout)
    assert.equal(audit?.policy.rules[0]?.level, 'Metadata')
    audit?.sink.write(line)
    await audit?.sink.close()
  }
  assert.equal(await readFile(at('a.log'), 'utf8'), '{"a":1}\n{"b":2}\n')
  assert.equal((await stat(at('a.log'))).mode & 0o777, 0o600)
})

test('audit: a file that is full is put aside, and the oldest of those goes', async () => {
  const file = await openLogFile({
    path: at('b.log'),
    maxBytes: 10,
    maxAgeDays: 0,
    maxBackups: 2,
    clock: world.clock,
  })
  for (let each = 0; each < 5; each++) {
    await file.append(`line ${each}\n`)
    await simulation.run({ untilMs: simulation.nowMs + 1000 })
  }
  await file.close()
  const names = (await readdir(directory))
    .filter((name) => name.startsWith('b') && name.endsWith('.log'))
    .sort()
  assert.equal(names.length, 3)
  const texts = await Promise.all(names.map((name) => readFile(at(name), 'utf8')))
  assert.deepEqual(texts, ['line 2\n', 'line 3\n', 'line 4\n'])
})

const full = (path: string) =>
  openLogFile({ path, maxBytes: 10, maxAgeDays: 0, maxBackups: 0, clock: world.clock })

test('audit: a file that another process has rotated is begun anew when it is full', async () => {
  const file = await full(at('d.log'))
  await file.append('line 0\n')
  await rename(at('d.log'), at('d.log.1'))
  for (const line of ['line 1\n', 'line 2\n']) {
    await file.append(line)
    await simulation.run({ untilMs: simulation.nowMs + 1000 })
  }
  await file.close()
  assert.equal(await readFile(at('d.log.1'), 'utf8'), 'line 0\n')
  assert.equal(await readFile(at('d.log'), 'utf8'), 'line 2\n')
})

test('audit: while a file cannot be begun lines are lost, and no longer', async () => {
  await mkdir(at('gone'))
  const file = await full(at('gone/e.log'))
  await file.append('line 0\n')
  await rm(at('gone'), { recursive: true })
  for (const line of ['line 1\n', 'line 2\n']) await assert.rejects(file.append(line), { code: 'ENOENT' })
  await mkdir(at('gone'))
  await file.append('line 3\n')
  await file.close()
  assert.equal(await readFile(at('gone/e.log'), 'utf8'), 'line 3\n')
})

test('audit: a file that cannot be put aside grows on', async () => {
  const file = await full(at('f.log'))
  await file.append('line 0\n')
  // Its backup would have this name.
  await mkdir(join(directory, backupName('f.log', world.clock.wallMs()), 'in-the-way'), { recursive: true })
  await file.append('line 1\n')
  await file.close()
  assert.equal(await readFile(at('f.log'), 'utf8'), 'line 0\nline 1\n')
})

const mistakes: ReadonlyArray<[flags: () => AuditFlags, message: RegExp]> = [
  [() => ({ auditLogPath: at('c.log') }), /--audit-log-path .*: give --audit-policy-file, too/],
  [() => ({ auditPolicyFile: at('policy.yaml') }), /--audit-policy-file .*: give --audit-log-path, too/],
  [() => ({ auditPolicyFile: at('no'), auditLogPath: '-' }), /--audit-policy-file .*: there is no such file/],
  [() => ({ auditPolicyFile: at('broken.yaml'), auditLogPath: '-' }), /--audit-policy-file .*broken\.yaml: /],
  [
    () => ({ auditPolicyFile: at('policy.yaml'), auditLogPath: at('no/such/dir') }),
    /--audit-log-path .*: cannot be written \(ENOENT\)/,
  ],
]
for (const [flags, message] of mistakes) {
  test(`audit: ${message.source} is reported`, () =>
    assert.rejects(openAudit(flags(), world, process.stdout), { name: 'ConfigurationProblem', message }))
}
