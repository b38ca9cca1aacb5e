import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideKubeconfigCredential } from './kubeconfig-credential.ts'

type Row = [hasTokenAuthFile: boolean, trustsFleetAuthority: boolean, want: string | RegExp]
const cases: readonly Row[] = [
  [false, true, 'token'],
  [false, false, 'token'],
  [true, true, 'certificate'],
  [true, false, /^--kubeconfig-out: with --token-auth-file and --client-ca-file/],
]
for (const [hasTokenAuthFile, trustsFleetAuthority, want] of cases) {
  test(`kubeconfig: its own token file ${hasTokenAuthFile}, its own authority ${!trustsFleetAuthority}`, () => {
    const decide = () => decideKubeconfigCredential({ hasTokenAuthFile, trustsFleetAuthority })
    if (typeof want === 'string') assert.equal(decide(), want)
    else assert.throws(decide, { name: 'ConfigurationProblem', message: want })
  })
}
