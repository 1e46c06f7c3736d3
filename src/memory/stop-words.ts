// Stop words of a few languages. They show whether a text is English, and carry little meaning in a query.
import { hashOf } from './word-hash.ts'

const english =
  'a about after all also am an and any are as at be because been before being but by can could did do does doing done for from get had has have he her here him his how i if in into is it its just me more my no not now of on one or our out over s she should so some such t than that the their them then there these they this those to too up us was we were what when where which while who whom why will with would you your'
const german =
  'aber alle als am an auch auf aus bei bin bis da das dass dem den der des die dies diese dieser doch du durch ein eine einem einen einer es für gegen hat haben hier ich ihr im ist ja kann kein keine man mehr mein mich mir mit nach nicht noch nur oder ohne sein seine sich sie sind so über um und uns unter vom von vor war was wenn wer werden wie wir wird wo zu zum zur'
const french =
  'au aux avec c ce ces cette comme d dans de des donc du elle elles en est et eux il ils j je l la le les leur leurs lui ma mais me mes mon n ne nos notre nous on ont ou où par pas plus pour qu que qui s sa sans se ses son sont sur ta te tes toi ton tu un une vos votre vous y été être'
const spanish =
  'al como con de del donde el ella ellos en entre era es esta este esto estos fue ha hay la las le lo los más me mi muy no o para pero por porque que se ser si sin sobre son su sus también tiene un una uno y ya'
const italian =
  'a al alla anche che chi ci come con da dal dalla dei del della delle di e gli ha i il in io la le lo ma mi nel nella non o per più quando quella questo se si sono su sul suo tra un una'
const dutch =
  'aan bij dan dat de deze die dit door een en er het hij ik in is je maar met naar niet nog of om ook op te tot uit van voor wat we wordt zijn zo'
const portuguese =
  'ao aos as com como da das de do dos e em entre foi isso já mais mas muito na nas no nos não o os ou para pela pelo por quando que se sem ser seu sua são também um uma'

const commonEnglish = tableOf(english)
const commonForeign = tableOf(german, french, spanish, italian, dutch, portuguese)

export function isCommonEnglish(word: string): boolean {
  return commonEnglish.get(hashOf(word)) === word
}

/** Common in one of the other languages. Such a word may also be an English one. */
export function isCommonForeign(word: string): boolean {
  return commonForeign.get(hashOf(word)) === word
}

/** The words by their hashes, which are all different. */
function tableOf(...lists: readonly string[]): ReadonlyMap<number, string> {
  const words = lists.join(' ').split(' ')
  return new Map(
    words.map((word) => {
      const folded = word.normalize('NFKD').replaceAll(/[\u0300-\u036f]/g, '')
      return [hashOf(folded), folded]
    }),
  )
}
