import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { root } from '../../repository.ts'
import { filesBelow } from '../archives.ts'

export const chartFolder = join(root, 'deploy', 'chart')
export const renderedFolder = join(root, 'deploy', 'rendered')

/** What the chart is rendered with for deploy/rendered: by file name, the values that differ from values.yaml. */
export const renderings: Readonly<Record<string, readonly string[]>> = {
  controllers: ['serviceMonitor.enabled=true'],
  fleet: [
    'controllers.target=fleet',
    'server.enabled=true',
    'server.etcd.servers={https://etcd-0.etcd:2379,https://etcd-1.etcd:2379,https://etcd-2.etcd:2379}',
    'server.etcd.secret=etcd-client',
    'server.credentialsSecret=strata-credentials',
    'serviceMonitor.enabled=true',
  ],
}

/** What `helm template` prints for one of them. */
export function renderChart(helm: string, name: string): string {
  const sets = (renderings[name] ?? []).flatMap((each) => ['--set', each])
  const args = ['template', 'strata', chartFolder, '--namespace', 'strata', ...sets]
  return execFileSync(helm, args, { encoding: 'utf8' })
}

/** Tells renderings of these sources from those of others. */
export function digestOfChart(): string {
  const hash = createHash('sha256')
  const files = filesBelow(chartFolder, 'chart').toSorted((a, b) => (a.path < b.path ? -1 : 1))
  for (const { path, content = '' } of files) hash.update(`${path}\n`).update(content)
  return hash.update(JSON.stringify(renderings)).digest('hex')
}
