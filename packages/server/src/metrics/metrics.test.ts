import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Metrics } from './metrics.ts'

const labels = {
  verb: 'GET',
  group: '',
  version: 'v1',
  resource: 'configmaps',
  subresource: '',
  scope: 'resource',
  dryRun: '',
} as const

test('metrics: requests by code, and how long they took', () => {
  const metrics = new Metrics(1000)
  metrics.requests.series(labels).count(200)
  metrics.requests.series({ ...labels }).count(200)
  metrics.requests.series(labels).count(404)
  metrics.requests.series(labels).took(0.03)
  metrics.requests.series(labels).took(100)
  const text = metrics.text()
  const shared =
    'component="apiserver",dry_run="",group="",resource="configmaps",scope="resource",subresource="",verb="GET",version="v1"'
  assert.ok(text.includes(`apiserver_request_total{code="200",${shared}} 2\n`), text)
  assert.ok(text.includes(`apiserver_request_total{code="404",${shared}} 1\n`))
  const bucket = (le: string): string => `apiserver_request_duration_seconds_bucket{${shared},le="${le}"}`
  assert.ok(text.includes(`${bucket('0.025')} 0\n`))
  assert.ok(text.includes(`${bucket('0.05')} 1\n`))
  assert.ok(text.includes(`${bucket('60')} 1\n`))
  assert.ok(text.includes(`${bucket('+Inf')} 2\n`))
  assert.match(text, /process_start_time_seconds 1\n/)
})

test('metrics: every line is one that Prometheus reads', () => {
  const metrics = new Metrics(0)
  metrics.requests.series({ ...labels, verb: 'WATCH', resource: 'a"\\\n' }).count(200)
  metrics.gauge('g', 'A gauge.', () => [[{ x: 'y' }, 1]])
  for (const line of metrics.text().trimEnd().split('\n')) {
    assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="(?:[^"\\]|\\.)*",?)+\})? -?[0-9.e+-]+)$/)
  }
})

test('metrics: events are counted over all scopes of a resource', () => {
  const metrics = new Metrics(0)
  metrics.requests.series({ ...labels, verb: 'WATCH', scope: 'cluster' }).watchEvents += 2
  metrics.requests.series({ ...labels, verb: 'WATCH', scope: 'namespace' }).watchEvents += 3
  assert.match(
    metrics.text(),
    /apiserver_watch_events_total\{group="",version="v1",resource="configmaps"\} 5\n/,
  )
})
