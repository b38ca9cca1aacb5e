import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { until } from '../../support/until.ts'
import { askByHttps, type Target } from './ask-by-https.ts'
import { expectStatus } from './test-suite.ts'

/** Installs a CRD and waits until its objects can be listed, as envtest does. */
export async function serveCrd(target: Target, file: string): Promise<void> {
  const crd = parse(await readFile(file, 'utf8'))
  const { ask, close } = askByHttps(target)
  try {
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await expectStatus(201, ask, 'POST', crds, crd)
    const { group, versions, names } = crd.spec
    const path = `/apis/${group}/${versions[0].name}/${names.plural}`
    await until(`${path} is served`, async () => (await ask('GET', path)).status === 200)
  } finally {
    close()
  }
}
