/**
 * Function words by language (ISO 639-1). They make up a third of any text and say nothing about its topic, so queries
 * skip them, which halves the search time without loss of quality. They also reveal the language of a text.
 */
export const FUNCTION_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    en: `a about after again all also am an and any are as at be because been before being between both but by can could did do does
      doing during each few for from further had has have having he her here hers him his how i if in into is it its itself just me
      more most my no nor not of off on once only or other our out over own same she should so some such than that the their them
      then there these they this those through to too under until up very was we were what when where which while who whom why will
      with would you your`,
    de: `aber als am an auch auf aus bei bin bis da damit dann das dass dem den der des die doch durch ein eine einem einen einer eines
      er es für gegen habe haben hat ich ihr im in ist ja kann können mit muss nach nicht noch nur oder sein seine sich sie sind so
      über um und unter uns vom von vor war was weil wenn wer werden wie wir wird wo zu zum zur`,
    fr: `à au aux avec ce ces cette comme dans de des du elle elles en est et être eu il ils je la le les leur leurs lui mais me même
      mes moi mon ne nos notre nous on ont ou où par pas plus pour qu quand que quel quelle quels qui sa sans se ses si son sont sur
      ta te tes toi ton tu un une vos votre vous y`,
    es: `a al como con cuál cuándo cómo de del desde dónde el ella ellos en entre era es esta este esto está están fue ha han hasta hay
      la las le les lo los más me mi muy no nos o para pero por porque qué que quién se ser si sin sobre son su sus también te tiene
      tu un una uno y ya yo`,
    it: `a ai al alla alle anche che chi ci come con cosa da dal dalla degli dei del della delle di dove e è ed gli ha hanno ho i il in
      io la le lei lo loro ma mi ne nei nel nella nelle noi non o per perché più quale quando quello questa questo se si sono su sua
      sul sulla suo tra tu un una uno vi`,
    pt: `a ao aos as até com como da das de dela dele do dos e é ela elas ele eles em entre era essa esse esta este eu foi há isso já
      lhe mais mas me meu na nas não nem no nos nós o os ou para pela pelo por qual quando que quem são se sem ser seu sua são também
      te tem um uma você à às`,
    nl: `aan al als bij dan dat de deze die dit door een en er geen haar had heb hebben heeft het hij hoe ik in is je kan maar me met mijn
      na naar niet nog of om onder ons ook op over te tot uit van voor was wat we wel werd wie wij worden wordt ze zich zij zijn zo`,
    sv: `alla att av blev de dem den denna det detta dig din du där efter ej eller en ett från för ha hade han hans har hon hur här i inte
      jag kan man med men mig min mot ni nu när och om oss på samma sig sin ska som så till under upp ut vad var vi vid vilka vill
      är över`,
    da: `af alle at blev da de dem den denne der deres det dette din du eller en er et for fra ham han hans har havde hende hun hvad hvis
      hvor i ikke ind jeg kan kun man med men mig min mod nu når og om op os over på sig sin skal som så til ud under var vi vil ved
      være`,
    no: `av alle at ble da de dem den denne der det dette din du eller en er et etter for fra ha hadde han har hun hva hvis hvor hvordan i
      ikke jeg kan kun man med men meg min mot nå når og også om opp oss over på seg sin skal som så til ut under var vi ved være`,
    fi: `ei eivät ennen että hän he ja jo joka joita jos kanssa kuin kun me mikä miksi mitä mutta myös ne nyt niin näin ole oli olla on
      ovat se sekä sen siinä sitä tai tämä tässä vain vai voi yli`,
    pl: `a aby ale bez być był była było by co czy dla do go i ich ile ja jak jako jego jej jest już jeśli kiedy kto która które który lub ma
      mi mnie na nad nie niż o od on ona oni oraz po pod przed przez przy są się ta tak także tam te tego tej ten to tu ty tylko tym
      u w we więc wszystko z za ze że`,
    cs: `a aby ale ani až bez bude by byl byla bylo být co či do ho i jak jako je jeho její jen jejich ještě ji jsem jsou k kde když
      která které který ma má mezi mi na nad nebo není o od on ona oni po pod podle pro proto při s se si jsme tak také ten tento to u už
      v ve však z za ze že`,
    ro: `a acest aceasta al ale am are as au ca care că ce cel cum cu de din dar după ei el ele este eu fi fost iar în între la le lui
      mai mea meu ne nu o or pe pentru prin sa să se si și sunt te un una unde unei unui va vor`,
    hu: `a az be csak de egy el én és ez fel ha hogy is ki kell le lehet meg mert mi mint már nem ő ők ön s sem ti vagy van volt`,
    tr: `ama bir biz bu bunu da daha de değil en gibi hem her için ile ise kadar ki kim mi mı mu mü ne neden o olan olarak oldu onu şu
      sonra tüm üzere var ve veya ya yok`,
    ru: `а без бы был была были было быть в вам вас вот все всё вы где да для до его ее её если есть же за и из или им их к как ко когда
      кто ли между меня мне мы на над не нет но о об он она они от по под при с со так также там то того тоже только ты у уже чем что
      чтобы эта эти это этот я`,
  }).map(([language, words]) => [language, new Set(words.split(/\s+/))]),
);
