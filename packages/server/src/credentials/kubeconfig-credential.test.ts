import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideKubeconfigCredential } from './kubeconfig-credential.ts'

type Row = [token: boolean, hasTokenAuthFile: boolean, authority: boolean, want: string | RegExp]
const cases: readonly Row[] = [
  [true, false, true, 'token'],
  [true, false, false, 'token'],
  [true, true, false, 'token'],
  [false, true, true, 'certificate'],
  [false, true, false, /^--kubeconfig-out: with --token-auth-file and --client-ca-file/],
  [false, false, true, 'certificate'],
  [false, false, false, /^--kubeconfig-out: .* the token in admin.token has no line in tokens.csv/],
]
for (const [acceptsFleetToken, hasTokenAuthFile, trustsFleetAuthority, want] of cases) {
  const options = { acceptsFleetToken, hasTokenAuthFile, trustsFleetAuthority }
  test(`kubeconfig: ${JSON.stringify(options)}`, () => {
    const decide = () => decideKubeconfigCredential(options)
    if (typeof want === 'string') assert.equal(decide(), want)
    else assert.throws(decide, { name: 'ConfigurationProblem', message: want })
  })
}
