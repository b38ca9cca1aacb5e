import { sleep, type Transport } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'
import { request } from './request.ts'

/**
 * A server of a release that knows identity Leases but nothing of agreement: it holds a Lease, renews it and
 * never reports. While it is there nobody may claim that all have (agreement.md, rule 11).
 */
export async function runForeignServer(
  process: SimProcess,
  connect: () => Transport,
  lease: { readonly durationSeconds: number; readonly renewSeconds: number },
): Promise<void> {
  const name = `apiserver-${process.name}`
  const target = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`
  let resourceVersion: string | undefined
  for (;;) {
    const renewTime = `${new Date(process.clock.wallMs()).toISOString().slice(0, 23)}000Z`
    const body = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name,
        namespace: 'kube-system',
        labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' },
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      spec: { holderIdentity: process.id, leaseDurationSeconds: lease.durationSeconds, renewTime },
    }
    try {
      const put = await request(process, connect(), { method: 'PUT', target, body, timeoutMs: 2_000 })
      resourceVersion = put.status < 300 ? put.body.metadata.resourceVersion : await read()
    } catch (error) {
      process.log.debug('renewal failed', { error: String(error) })
      resourceVersion = await read()
    }
    await sleep(process.clock, 1000 * lease.renewSeconds)
  }

  async function read(): Promise<string | undefined> {
    try {
      const { status, body } = await request(process, connect(), { method: 'GET', target, timeoutMs: 2_000 })
      return status === 200 ? body.metadata.resourceVersion : undefined
    } catch {
      return resourceVersion
    }
  }
}
