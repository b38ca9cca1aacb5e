import type { Page } from 'playwright-core'

/** Pictures are compared at this part of their size, so that the edges of letters do not count. */
const scale = 0.25
/** Of 255: less is not seen. */
const leastSeen = 24

/** Which part of two pictures (PNG) differs, from 0 to 1. Sizes that differ are 1. */
export async function differenceOf(page: Page, one: Buffer, other: Buffer): Promise<number> {
  await page.goto('about:blank')
  const pictures = JSON.stringify([one, other].map((each) => each.toString('base64')))
  // As text: this repository has no types of browsers outside of the dashboard.
  return page.evaluate(`(async () => {
    const draw = async (base64) => {
      const image = new Image()
      image.src = 'data:image/png;base64,' + base64
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = Math.round(image.width * ${scale})
      canvas.height = Math.round(image.height * ${scale})
      const context = canvas.getContext('2d')
      context.imageSmoothingQuality = 'high'
      context.drawImage(image, 0, 0, canvas.width, canvas.height)
      return context.getImageData(0, 0, canvas.width, canvas.height)
    }
    const [a, b] = await Promise.all(${pictures}.map(draw))
    if (a.width !== b.width || a.height !== b.height) return 1
    let different = 0
    for (let at = 0; at < a.data.length; at += 4)
      if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > ${leastSeen})) different++
    return different / (a.data.length / 4)
  })()`)
}
