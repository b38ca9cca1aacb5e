import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { choosePlatforms, hostPlatform, platformName } from './platforms.ts'

describe('platforms', () => {
  const host = hostPlatform('linux', 'x64')
  const names = (list: string): readonly string[] => choosePlatforms(list, host).map(platformName)

  test('the host, all, and those named; each once', () => {
    assert.deepEqual(names('host'), ['linux-amd64'])
    assert.deepEqual(names('darwin-arm64,linux-amd64'), ['darwin-arm64', 'linux-amd64'])
    assert.deepEqual(names('linux-arm64,linux-arm64'), ['linux-arm64'])
    assert.equal(names('all').length, 4)
  })

  test('an unknown platform is named, with those that there are', () => {
    assert.throws(
      () => names('windows-amd64'),
      /--platforms windows-amd64: unknown; there are host, all, linux-amd64,/,
    )
  })

  test('a machine without a packaged Node is no host', () => {
    assert.equal(hostPlatform('win32', 'x64'), undefined)
    assert.throws(() => choosePlatforms('host', undefined), /--platforms host: unknown/)
  })
})
