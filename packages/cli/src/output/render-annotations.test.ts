import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderGithub } from './render-github.ts'
import { renderGitlab } from './render-gitlab.ts'
import type { Report, Result } from './report.ts'

const place = { file: './crds/a,b.yaml', line: 7 }
const results: readonly Result[] = [
  {
    level: 'failed',
    rule: 'refused',
    subject: 'lamps.x.dev',
    message: '100% refused:\nno',
    fix: 'wait',
    ...place,
  },
  { level: 'warning', rule: 'enum shrunk', subject: 'lamps.x.dev', message: 'spec.a', ...place },
  { level: 'unknown', rule: 'not-seen', subject: 'b', message: 'why', file: 'b.yaml' },
  { level: 'note', rule: 'removed', subject: 'c', message: 'gone' },
  { level: 'passed', rule: 'ok', subject: 'd', message: '' },
]
const report: Report = { command: 'crd check', sections: [], results, document: {} }

test('GitHub annotations: one line each, with what would end a command or a property escaped', () => {
  assert.deepEqual(renderGithub(report).split('\n'), [
    '::error file=./crds/a%2Cb.yaml,line=7,title=strata crd check%3A lamps.x.dev::100%25 refused:%0Ano%0ANext: wait',
    '::warning file=./crds/a%2Cb.yaml,line=7,title=strata crd check%3A lamps.x.dev::spec.a',
    '::warning file=b.yaml,line=1,title=strata crd check%3A b::why',
    '::notice title=strata crd check%3A c::gone',
  ])
})

test('GitHub annotations: errors come before warnings, and these before notices', () => {
  const levels = ['note', 'warning', 'failed', 'passed', 'unknown', 'failed'] as const
  const mixed = levels.map((level, index) => ({ level, rule: 'r', subject: `s${index}`, message: 'm' }))
  const shown = renderGithub({ ...report, results: mixed }).split('\n')
  assert.deepEqual(
    shown.map((each) => each.replace(/ title=.* (s\d)::m$/, ' $1')),
    ['::error s2', '::error s5', '::warning s1', '::warning s4', '::notice s0'],
  )
})

test('GitLab code quality: the fields and values that GitLab documents', () => {
  const findings = JSON.parse(renderGitlab(report))
  assert.equal(findings.length, 3)
  const prints = new Set<string>()
  for (const each of findings) {
    assert.deepEqual(Object.keys(each).sort(), [
      'check_name',
      'description',
      'fingerprint',
      'location',
      'severity',
    ])
    assert.ok(['info', 'minor', 'major', 'critical', 'blocker'].includes(each.severity), each.severity)
    assert.match(each.fingerprint, /^[0-9a-f]{64}$/)
    assert.ok(Number.isInteger(each.location.lines.begin) && each.location.lines.begin >= 1)
    // GitLab finds no file by a path that begins with ./ or /.
    assert.match(each.location.path, /^[^./]/)
    prints.add(each.fingerprint)
  }
  assert.equal(prints.size, 3)
  assert.equal(findings[1].check_name, 'strata/crd-check/enum-shrunk')
  assert.equal(renderGitlab({ ...report, results: [] }), '[]')
})
