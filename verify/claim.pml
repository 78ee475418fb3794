/*
 * The claim protocol: one case, its journal and its row, workers that crash and pause, a sweep, a destination, people
 * and facts. Written next to src/core and src/engine; the names of their entries, verdicts and functions are used as
 * they stand there. README.md says what each part stands for and what is left out.
 *
 * One `atomic` block is one transaction of the database, one act of the destination, or one step inside a worker.
 * A pause of any length, at any place, is nothing but another process going first.
 */

/* ------------------------------------------------ switches, all set by -D ------------------------------------------ */

#define BY_NONE 0
#define BY_KEY 1
#define BY_LOOKUP 2
#define BY_UNIQUE 3
#define BY_IF_MATCH 4
#define BY_FENCE 5
#define BY_TRANSACTION 6

#ifndef REPEAT_SAFETY
#define REPEAT_SAFETY BY_KEY              /* what the engine takes the destination for */
#endif
#ifndef DESTINATION
#define DESTINATION REPEAT_SAFETY         /* what it really does */
#endif

/* The world: how much may go wrong. */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef STEPS
#define STEPS 1                           /* 1 or 2; the second follows the first */
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 3                        /* attempts of a case, then review: 2, 3 or 4 */
#endif
#ifndef CRASHES
#define CRASHES 1                         /* crashes of workers */
#endif
#ifndef LOST_REPLIES
#define LOST_REPLIES 1                    /* replies of the database that are lost after it did its part */
#endif
#ifndef PAUSES
#define PAUSES ANY                        /* times that the sweep takes a living holder for dead */
#endif
#ifndef CORRECTIONS
#define CORRECTIONS 0                     /* a person corrects the input: 0 or 1 */
#endif
#ifndef RESUMES
#define RESUMES 0                         /* a person resumes the case */
#endif
#ifndef CANCELS
#define CANCELS 0                         /* a person cancels the case: 0 or 1 */
#endif
#ifndef FACTS
#define FACTS 0                           /* an event comes after which nothing may be sent: 0 or 1 */
#endif
#ifndef REFUSALS
#define REFUSALS 0                        /* the destination rejects requests: 0 or 1 */
#endif
#ifndef RUN_ON
#define RUN_ON 0                          /* `run` may go on after its signal and succeed later: 0 or 1 */
#endif
#ifndef IN_TIME
#define IN_TIME 0                         /* 1 = nothing is sent or executed after its last possible arrival */
#endif
#ifndef KEYS_EXPIRE
#define KEYS_EXPIRE 0                     /* the destination forgets its keys at the end of the window: 0 or 1 */
#endif
#ifndef POISON
#define POISON 0                          /* 1 = every send kills its worker */
#endif
#ifndef FAILOVERS
#define FAILOVERS 0                       /* failovers that lose the last commit: 0 or 1 */
#endif
#ifndef KEY_COMPARES
#define KEY_COMPARES 0                    /* 1 = a known key with another request is answered with a conflict */
#endif
#ifndef TOKENS_ONCE
#define TOKENS_ONCE 1                     /* each fencing token is accepted once, after a read back; 0 = only older ones are refused */
#endif

/* The rules: 1 = as it must be. Each is there to be switched off. */
#ifndef DOOR_COMPARES_CLAIM
#define DOOR_COMPARES_CLAIM 1             /* R1: outcomes are stored only if the claim id matches */
#endif
#ifndef REVISION_GUARDS_ONWARD
#define REVISION_GUARDS_ONWARD 1          /* R1: an intent or attempt also needs the revision */
#endif
#ifndef REVISION_GUARDS_PARKING
#define REVISION_GUARDS_PARKING 1         /* R2: no parking entry over facts that nobody saw */
#endif
#ifndef COMMIT_ID
#define COMMIT_ID 1                       /* R3: the door looks for the commit id first */
#endif
#ifndef RANDOM_CLAIM_IDS
#define RANDOM_CLAIM_IDS 1                /* 0 = a number that rises with each claim */
#endif
#ifndef DOOR_KNOWS_LOST_ENTRIES
#define DOOR_KNOWS_LOST_ENTRIES 1         /* a commit made on entries that a failover lost is refused */
#endif
#ifndef ORPHAN_RELEASE
#define ORPHAN_RELEASE 1                  /* R8: a holder releases claims under its id that it does not know */
#endif
#ifndef ACT_BY
#define ACT_BY 1                          /* R8: a claim without a commit for too long is freed */
#endif
#ifndef SWEEP
#define SWEEP 1                           /* dead holders' claims are freed */
#endif
#ifndef LOSSES_COUNT
#define LOSSES_COUNT 1                    /* R9: the third loss goes to review */
#endif
#ifndef LATE_REPORTS
#define LATE_REPORTS 1                    /* R10: what a late worker tells is kept */
#endif
#ifndef LATE_SUCCESS_AFTER_DOUBT
#define LATE_SUCCESS_AFTER_DOUBT 1        /* R10: ... also when it first told that it did not know */
#endif
#ifndef TWICE_STAYS_IN_SIGHT
#define TWICE_STAYS_IN_SIGHT 1            /* R10: a confirmation does not close the review "may exist twice" */
#endif
#ifndef INTENT_BEFORE_SEND
#define INTENT_BEFORE_SEND 1              /* R17 */
#endif
#ifndef OPEN_IS_UNKNOWN
#define OPEN_IS_UNKNOWN 1                 /* an open attempt is unknown, never "not sent" */
#endif
#ifndef SETTLED_RULE
#define SETTLED_RULE 1                    /* R18: no new intent version while an attempt is unproved */
#endif
#ifndef PROOF_WAITS
#define PROOF_WAITS 1                     /* R18: "did not happen" counts only after the last possible arrival */
#endif
#ifndef ASKED_BEFORE_READ
#define ASKED_BEFORE_READ 1               /* R18: ... judged by when the question was asked, not answered */
#endif
#ifndef REPEAT_ENDS_IN_WINDOW
#define REPEAT_ENDS_IN_WINDOW 1           /* R20: a repeat must have arrived while the key still counts */
#endif
#ifndef REJECTED_STAYS
#define REJECTED_STAYS 1                  /* a rejected fingerprint is never sent again */
#endif
#ifndef CANCEL_NEEDS_UNTOUCHED
#define CANCEL_NEEDS_UNTOUCHED 1          /* what may have happened must be undone first */
#endif
#ifndef BASIS
#define BASIS 1                           /* R14: a confirmation stands on an unchanged basis only */
#endif
#ifndef FOOTHOLD
#define FOOTHOLD 1                        /* a standing step is not sent again */
#endif

/*
 * What must hold; a run asks for the sum of those it is about. `settles`, at the end, is the one about time.
 */
#define ONCE 1                            /* a step takes effect once at most, whatever its intent versions */
#define NOT_RESENT 2                      /* at `none` and `lookup` nothing is opened while an attempt is in doubt */
#define TRUTH 4                           /* done means: it took effect, with the input that the case has now */
#define FOREIGN 8                         /* only the holder of the claim changes the case; late reports apart */
#define AWAKE 16                          /* no case stands still over a fact that no holder has seen */
#define SEEN 32                           /* no attempt is opened after the fact that forbids it */
#define STANDING 64                       /* a standing step is not sent again */
#define REJECTED 128                      /* a rejected fingerprint is not sent again */
#define EVIDENCE 256                      /* what a worker saw succeed never counts as unknown again */
#define SIGHT 512                         /* no case is done with a second effect that it was told of and shows nobody */
#define JOURNAL 1024                      /* an outcome follows on its own open attempt, in the journal that it was made on */
#define SPARED 2048                       /* a case takes three workers down at most */
#define UNTOUCHED 4096                    /* canceled means: nothing happened, nor will it */
#ifndef PROPERTIES
#define PROPERTIES 8191
#endif
#define ASKED(property) ((PROPERTIES & property) != 0)
#define MUST(property, condition) assert(!ASKED(property) || (condition))

#define ANY 255
#define LOSSES_MAX 3
#define CHECKS_MAX 2
#define NOBODY 255

#define DEDUPLICATES (REPEAT_SAFETY != BY_NONE && REPEAT_SAFETY != BY_LOOKUP)
#define HAS_CHECK (REPEAT_SAFETY == BY_LOOKUP)
#define MEASURES_TIME (HAS_CHECK || KEYS_EXPIRE)

/* ------------------------------------------------ the row and the folded journal ----------------------------------- */

mtype:State = { ready, waiting, paused, in_review, done, canceled };
mtype:Outcome = { unrecorded, open, failedMaybe, failedNo, provedNotExecuted, reportedLate, confirmed };
mtype:Review = { none, unknown, limit, poison, rejected, conflict, precondition, lapsed, mayExistTwice };

mtype:State rest = ready;                 /* where the case rests when nobody holds it */
byte claim = 0;                           /* 0 = nobody holds the case */
byte claimHolder = NOBODY;                /* the worker under whose holder id the claim is */
bit holderIsDead = 0;
byte claimNumber = 0;                     /* only with RANDOM_CLAIM_IDS=0 */

byte losses = 0;
byte input = 1;                           /* 1, or 2 once corrected */
bit factCame = 0;                         /* eventReceived */
bit cancelRequest = 0;
bit pauseRequest = 0;

byte intent[STEPS];                       /* its version; 0 = none */
byte intentInput[STEPS];                  /* the input of its basis and request */
byte confirmation[STEPS];                 /* the input of its basis; 0 = none */
mtype:Review review[STEPS];
byte rejections[STEPS];                   /* rejected fingerprints, one bit for each input */
mtype:Review lastFailure[STEPS];          /* of this round: none, rejected or conflict */
byte notBefore[STEPS];                    /* 0, or LATER, or PROOF_AT */
bit notFound[STEPS];                      /* firstNotFoundAt */
byte checks[STEPS];
bit accepted[STEPS];                      /* a person resumed since the confirmation */
#define LATER 1
#define PROOF_AT 2

byte attempts = 0;                        /* of the whole case */
mtype:Outcome outcome[ATTEMPTS];
byte stepOf[ATTEMPTS];
byte versionOf[ATTEMPTS];
bit isUnderClaim[ATTEMPTS];               /* opened under the claim that the row has now */
byte told[ATTEMPTS];                      /* lateReport: 0, DOUBT or SUCCESS */
#define DOUBT 1
#define SUCCESS 2

/* ------------------------------------------------ workers, as far as others see them ------------------------------- */

byte my[WORKERS];                         /* the claim id that a worker knows; 0 = none */
bit fresh[WORKERS];                       /* its revision is the row's */
bit ahead[WORKERS];                       /* it knows entries that a failover lost */
bit saw[WORKERS];                         /* it has seen the fact */
bit stored[WORKERS];                      /* the journal has the id of the commit that it sends */

/* ------------------------------------------------ the destination and the wire ------------------------------------- */

mtype:Wire = { unsent, flying, answered, refused, differs, stale, gone };
mtype:Wire wire[ATTEMPTS];
byte sentVersion[ATTEMPTS];               /* the key: intent version and input of the request itself */
byte inputOf[ATTEMPTS];
bit isHeard[ATTEMPTS];                    /* somebody still waits for the answer */
bit gaveUp[ATTEMPTS];                     /* ... but not its pick-up */
byte senderOf[ATTEMPTS];
bit isOver[ATTEMPTS];                     /* the last possible arrival has passed */
bit isWindowOver = 0;

byte effects[STEPS];                      /* how often it really happened, up to 2 */
byte ran[STEPS];                          /* intent versions that took effect, one bit each */
byte ranWith[STEPS];                      /* inputs that took effect, one bit each */
#if DESTINATION == BY_FENCE
byte fence = 0;
bit isFenceUsed = 0;
#endif
#if DESTINATION == BY_IF_MATCH
byte etag[STEPS];
byte etagOf[ATTEMPTS];
byte intentEtag[STEPS];
#endif

/* ------------------------------------------------ bookkeeping of the model ----------------------------------------- */

byte crashes = 0;
byte lostReplies = 0;
byte pauses = 0;
byte resumes = 0;
bit corrected = 0;
bit hasCanceled = 0;
bit factIsUnseen = 0;                     /* nobody has gone on with the case since a fact came */
bit isTrue[WORKERS];                      /* its claim is the row's, whatever the ids say */
bit isKnown[ATTEMPTS];                    /* somebody told the case that this attempt succeeded */
bit sawTwice[STEPS];                      /* a person closed the review "may exist twice" */

/* ------------------------------------------------ small questions -------------------------------------------------- */

#if ATTEMPTS == 2
#define SOME(IS, s) (IS(0, s) || IS(1, s))
#define COUNT(IS, s) (IS(0, s) + IS(1, s))
#elif ATTEMPTS == 3
#define SOME(IS, s) (IS(0, s) || IS(1, s) || IS(2, s))
#define COUNT(IS, s) (IS(0, s) + IS(1, s) + IS(2, s))
#else
#define SOME(IS, s) (IS(0, s) || IS(1, s) || IS(2, s) || IS(3, s))
#define COUNT(IS, s) (IS(0, s) + IS(1, s) + IS(2, s) + IS(3, s))
#endif

/* Attempt x belongs to the present intent of step s. */
#define IS_UNDER(x, s) (versionOf[x] != 0 && stepOf[x] == s && versionOf[x] == intent[s])
#if OPEN_IS_UNKNOWN
#define IS_OPEN_UNKNOWN(x) (outcome[x] == open)
#else
#define IS_OPEN_UNKNOWN(x) (outcome[x] == open && isUnderClaim[x])
#endif
#define IS_UNPROVED(x, s) (IS_UNDER(x, s) && (IS_OPEN_UNKNOWN(x) || outcome[x] == failedMaybe))
#define TOOK_EFFECT(x, s) (IS_UNDER(x, s) && (outcome[x] == confirmed || outcome[x] == reportedLate))
#define IS_REPORTED_LATE(x, s) (IS_UNDER(x, s) && outcome[x] == reportedLate)
#define MAY_STILL_ARRIVE(x, s) (IS_UNPROVED(x, s) && !isOver[x])
#define IS_TOLD(x, s) (stepOf[x] == s && isKnown[x])
/* The truth, whatever OPEN_IS_UNKNOWN makes of it. */
#define IS_IN_DOUBT(x, s) (IS_UNDER(x, s) && (outcome[x] == open || outcome[x] == failedMaybe))
#define IS_FORGOTTEN(x, s) (IS_IN_DOUBT(x, s) && isKnown[x])
#define IS_OPEN_UNDER_CLAIM(x, s) (outcome[x] == open && isUnderClaim[x])

#define hasNoEffect(s) (!SOME(IS_UNPROVED, s) && !SOME(TOOK_EFFECT, s))
#define hasSecondEffect(s) (!DEDUPLICATES && COUNT(TOOK_EFFECT, s) > 1)
#define BIT(n) (1 << (n))
#define FOR_EACH(n, count, what) n = 0; do :: n < count -> what; n++ :: else -> n = 0; break od
#define WHERE(condition, what) if :: condition -> what :: else fi

#define IS_UNTOUCHED(s) (confirmation[s] == 0 && (intent[s] == 0 || hasNoEffect(s)))

#define isOfBasis(s) (!BASIS || confirmation[s] == input)
#define isStanding(s, seen) (confirmation[s] != 0 && isOfBasis(s) && !(seen) && FOOTHOLD)

#if STEPS == 1
#define EVERY(IS) IS(0)
#define isWaitOver (!(rest == waiting && notBefore[0] == PROOF_AT && SOME(MAY_STILL_ARRIVE, 0)))
#else
#define EVERY(IS) (IS(0) && IS(1))
#define isWaitOver (!(rest == waiting && notBefore[0] == PROOF_AT && SOME(MAY_STILL_ARRIVE, 0)) && \
                    !(rest == waiting && notBefore[1] == PROOF_AT && SOME(MAY_STILL_ARRIVE, 1)))
#endif

#define NUMBERS_MAX 4                     /* with RANDOM_CLAIM_IDS=0 */
#define isEnded (rest == done || rest == canceled)

#define isClaimable (claim == 0 && claimNumber < NUMBERS_MAX && ((rest == ready) || (rest == waiting && isWaitOver)))

#define TAKE_EFFECT(x) \
  effects[stepOf[x]] = (effects[stepOf[x]] < 2 -> effects[stepOf[x]] + 1 : 2); \
  ran[stepOf[x]] = ran[stepOf[x]] | BIT(sentVersion[x]); ranWith[stepOf[x]] = ranWith[stepOf[x]] | BIT(inputOf[x]); \
  printf("destination: attempt %d takes effect\n", x + 1); \
  MUST(ONCE, effects[stepOf[x]] <= 1); MUST(UNTOUCHED, rest != canceled)

/* ------------------------------------------------ what must hold after every transaction --------------------------- */

#define HAPPENED_AS_CONFIRMED(s) (confirmation[s] == input && (ranWith[s] & BIT(input)) != 0)
#define NOTHING_FORGOTTEN(s) (confirmation[s] != 0 || !SOME(IS_FORGOTTEN, s))
#define NOTHING_HAPPENED(s) (effects[s] == 0)
#define SECOND_IN_SIGHT(s) (DEDUPLICATES || COUNT(IS_TOLD, s) < 2 || review[s] == mayExistTwice || sawTwice[s])

inline audit() {
  MUST(TRUTH, rest != done || claim != 0 || EVERY(HAPPENED_AS_CONFIRMED));
  MUST(AWAKE, !factIsUnseen || claim != 0 || rest == ready);
  MUST(UNTOUCHED, rest != canceled || EVERY(NOTHING_HAPPENED));
  MUST(EVIDENCE, EVERY(NOTHING_FORGOTTEN));
  MUST(SIGHT, rest != done || claim != 0 || EVERY(SECOND_IN_SIGHT))
}

/* ------------------------------------------------ a failover that loses the last commit --------------------------- */

#if FAILOVERS
#define EVERY_COLUMN(DO) \
  DO(rest, wasRest); DO(claim, wasClaim); DO(claimHolder, wasClaimHolder); DO(holderIsDead, wasHolderIsDead); \
  DO(claimNumber, wasClaimNumber); DO(losses, wasLosses); DO(input, wasInput); DO(factCame, wasFactCame); \
  DO(cancelRequest, wasCancelRequest); DO(pauseRequest, wasPauseRequest); \
  EVERY_STEP(DO, 0) FOR_STEP_2(EVERY_STEP(DO, 1)) EVERY_ATTEMPT(DO, 0) EVERY_ATTEMPT(DO, 1) FOR_ATTEMPT_3(EVERY_ATTEMPT(DO, 2))
#define EVERY_STEP(DO, n) \
  DO(intent[n], wasIntent[n]); DO(intentInput[n], wasIntentInput[n]); DO(confirmation[n], wasConfirmation[n]); \
  DO(review[n], wasReview[n]); DO(rejections[n], wasRejections[n]); DO(lastFailure[n], wasLastFailure[n]); \
  DO(notBefore[n], wasNotBefore[n]); DO(notFound[n], wasNotFound[n]); DO(checks[n], wasChecks[n]); \
  DO(accepted[n], wasAccepted[n]);
#define EVERY_ATTEMPT(DO, n) \
  DO(outcome[n], wasOutcome[n]); DO(versionOf[n], wasVersionOf[n]); DO(isUnderClaim[n], wasUnderClaim[n]); DO(told[n], wasTold[n]);
#if STEPS > 1
#define FOR_STEP_2(what) what
#else
#define FOR_STEP_2(what)
#endif
#if ATTEMPTS > 2
#define FOR_ATTEMPT_3(what) what
#else
#define FOR_ATTEMPT_3(what)
#endif

mtype:State wasRest;
byte wasClaim, wasClaimHolder, wasClaimNumber, wasLosses, wasInput;
bit wasHolderIsDead, wasFactCame, wasCancelRequest, wasPauseRequest;
byte wasIntent[STEPS], wasIntentInput[STEPS], wasConfirmation[STEPS], wasRejections[STEPS], wasNotBefore[STEPS], wasChecks[STEPS];
mtype:Review wasReview[STEPS], wasLastFailure[STEPS];
bit wasNotFound[STEPS], wasAccepted[STEPS];
mtype:Outcome wasOutcome[ATTEMPTS];
byte wasVersionOf[ATTEMPTS], wasTold[ATTEMPTS];
bit wasUnderClaim[ATTEMPTS];
bit wasFresh[WORKERS], wasStored[WORKERS], wasTrue[WORKERS];
bit hasFailedOver = 0;
bit hasCommitted = 0;
bit hasAppended = 0;                      /* the last commit had entries */

#define KEEP(column, before) before = column
#define GIVE_BACK(column, before) column = before
#define CLEAR(column, before) before = 0
/* Before each commit. */
inline replicate() {
  if
  :: !hasFailedOver ->
    EVERY_COLUMN(KEEP);
    FOR_EACH(i, WORKERS, wasFresh[i] = fresh[i]; wasStored[i] = stored[i]; wasTrue[i] = isTrue[i]);
    hasCommitted = 1; hasAppended = 0
  :: else
  fi
}

active proctype Failover() {
  byte i = 0;
end:
  atomic {
    hasCommitted && !hasFailedOver ->
    hasFailedOver = 1;
    printf("failover: the last commit is lost\n");
    EVERY_COLUMN(GIVE_BACK);
    FOR_EACH(i, WORKERS,
      ahead[i] = (fresh[i] && hasAppended);   /* it knows the entries that are lost: it made them */
      fresh[i] = ((fresh[i] || wasFresh[i]) && !ahead[i]); stored[i] = wasStored[i]; isTrue[i] = wasTrue[i]);
    EVERY_COLUMN(CLEAR)
  }
}
#else
#define replicate() skip
#endif

/* ------------------------------------------------ entries, as the fold takes them ---------------------------------- */

/* Entries were appended by somebody who is not `w`: whoever else has a view of the case has an old one. */
inline raiseRevision(w) {
#if FAILOVERS
  hasAppended = !hasFailedOver;
#endif
  i = 0;
  do
  :: i < WORKERS -> fresh[i] = (i == w && fresh[i]); i++
  :: else -> i = 0; break
  od
}

inline wake() {
  if
  :: rest == waiting || rest == in_review -> rest = ready
  :: else
  fi
}

inline stepConfirmed(s, basis) {
  confirmation[s] = basis;
  if
  :: review[s] == mayExistTwice && TWICE_STAYS_IN_SIGHT
  :: else -> review[s] = none
  fi;
  lastFailure[s] = none; notBefore[s] = 0; notFound[s] = 0; checks[s] = 0; accepted[s] = 0;
  pauseRequest = (pauseRequest || cancelRequest); cancelRequest = 0;        /* the code undoes it; here it stops in sight */
  losses = 0
}

inline renew(s) {
  sawTwice[s] = (sawTwice[s] || review[s] == mayExistTwice);
  review[s] = none; lastFailure[s] = none; notBefore[s] = 0; checks[s] = 0;
  accepted[s] = (confirmation[s] != 0)
}

/* One outcome under a claim: stepConfirmed, attemptFailed or checkAnswered. */
inline storeOutcome(w) {
  printf("worker %d: stores %e of attempt %d\n", w, got, a + 1);
  MUST(FOREIGN, isTrue[w]);
  MUST(JOURNAL, !ahead[w]);               /* it would follow on entries that are not there */
  rest = ready;
  if
  :: got == succeeded ->
    MUST(JOURNAL, a < attempts && IS_UNDER(a, s) && (outcome[a] == open || outcome[a] == reportedLate));
#if DESTINATION == BY_TRANSACTION
    TAKE_EFFECT(a);
#endif
    outcome[a] = confirmed; isKnown[a] = 1;
    stepConfirmed(s, intentInput[s])
  :: got == doubt || got == notSent || got == turnedDown || got == otherFound ->   /* attemptFailed */
    MUST(JOURNAL, a < attempts && IS_UNDER(a, s) && (outcome[a] == open || outcome[a] == reportedLate));
    if
    :: outcome[a] == reportedLate                                           /* what was seen is not taken back */
    :: else -> outcome[a] = (got == doubt -> failedMaybe : failedNo)
    fi;
    notBefore[s] = (got == doubt -> LATER : 0);
    if
    :: got == turnedDown -> rejections[s] = rejections[s] | BIT(intentInput[s]); lastFailure[s] = rejected
    :: got == otherFound -> lastFailure[s] = conflict
    :: else -> lastFailure[s] = none
    fi
  :: got == happened ->                                                      /* checkAnswered: happened */
    if
    :: COUNT(IS_UNPROVED, s) == 1 ->
      FOR_EACH(i, ATTEMPTS, WHERE(IS_UNPROVED(i, s), outcome[i] = confirmed; isKnown[i] = 1))
    :: else
    fi;
    stepConfirmed(s, intentInput[s])
  :: got == didNotHappen ->
    checks[s] = checks[s] + 1;
    if
    :: notFound[s] && proves ->
      FOR_EACH(i, ATTEMPTS, WHERE(IS_UNPROVED(i, s), outcome[i] = provedNotExecuted));
      notFound[s] = 0; notBefore[s] = 0
    :: else -> notFound[s] = 1; notBefore[s] = PROOF_AT
    fi
  :: got == cannotTell -> checks[s] = checks[s] + 1; notBefore[s] = LATER
  fi;
  proves = 0;
  stored[w] = 1;
  raiseRevision(w)
}

/* A late report, kept as a fact (decideLateReport, and the fold's reportLate). */
inline reportLate(x, kind) {
  isKnown[x] = (isKnown[x] || kind == succeeded);
  if
  :: !LATE_REPORTS
  :: LATE_REPORTS && IS_UNDER(x, stepOf[x]) && outcome[x] == confirmed
  :: LATE_REPORTS && !(IS_UNDER(x, stepOf[x]) && outcome[x] == confirmed) && told[x] != 0 &&
     !(LATE_SUCCESS_AFTER_DOUBT && told[x] == DOUBT && kind == succeeded)
  :: else ->
    replicate();
    told[x] = (kind == succeeded -> SUCCESS : DOUBT);
    if
    :: kind == succeeded && versionOf[x] < intent[stepOf[x]] -> review[stepOf[x]] = mayExistTwice
    :: kind == succeeded && versionOf[x] == intent[stepOf[x]] ->
      if
      :: !DEDUPLICATES && confirmation[stepOf[x]] != 0 && COUNT(TOOK_EFFECT, stepOf[x]) > 0 && outcome[x] != reportedLate ->
        review[stepOf[x]] = mayExistTwice
      :: else
      fi;
      if :: outcome[x] != confirmed -> outcome[x] = reportedLate :: else fi
    :: kind != succeeded && IS_IN_DOUBT(x, stepOf[x]) -> outcome[x] = (kind == doubt -> failedMaybe : failedNo)
    :: else
    fi;
    factIsUnseen = (factIsUnseen || (!isEnded && rest != paused));
    wake();
    raiseRevision(NOBODY)
  fi
}

/* ------------------------------------------------ claims ----------------------------------------------------------- */

/*
 * A claim id is random, so it differs from every id that anybody still knows. A worker knows one at a time and has
 * forgotten it before it claims again, so one id for each worker is as good as a random one.
 */
inline newClaimId(w) {
#if RANDOM_CLAIM_IDS
  claim = w + 1
#else
  claimNumber++;
  claim = claimNumber
#endif
}

inline endClaim() {
  FOR_EACH(i, ATTEMPTS, isUnderClaim[i] = 0);
  FOR_EACH(i, WORKERS, isTrue[i] = 0; fresh[i] = 0);
  claim = 0; claimHolder = NOBODY; holderIsDead = 0
}

/* freeClaim: with an attempt open a loss is journaled and counts (R9); else the case goes back as it stood. */
inline freeClaim() {
  replicate();
  if
  :: SOME(IS_OPEN_UNDER_CLAIM, 0) ->      /* claimLost */
    losses = (LOSSES_COUNT && losses < LOSSES_MAX -> losses + 1 : losses);
    rest = ready;
    raiseRevision(NOBODY)
  :: else
  fi;
  endClaim();
  audit()
}

/* ------------------------------------------------ the plan (planCase, planSend) ------------------------------------ */

mtype:Act = { undecided, haltCanceled, haltPaused, complete, confirmLate, openReview, stay, wait, check, send };

inline planCase(seen) {
  act = undecided; why = none; s = 0;
  do
  :: s < STEPS && isStanding(s, seen) && review[s] == none && !(hasSecondEffect(s) && !accepted[s]) -> s++
  :: else -> break
  od;
  if
  :: cancelRequest && EVERY(IS_UNTOUCHED) -> act = haltCanceled
  :: pauseRequest && !(cancelRequest && EVERY(IS_UNTOUCHED)) -> act = haltPaused
  :: else
  fi;
  if
  :: act != undecided -> s = 0
  :: act == undecided && s == STEPS -> act = complete; s = 0
  :: act == undecided && s < STEPS && isStanding(s, seen) ->                /* it stands, and people must look at it */
    if
    :: review[s] != none && review[s] != lapsed -> act = stay
    :: else -> act = openReview; why = mayExistTwice
    fi
  :: act == undecided && s < STEPS && !isStanding(s, seen) && confirmation[s] != 0 && FOOTHOLD ->
    if
    :: review[s] != none -> act = stay
    :: else -> act = openReview; why = lapsed
    fi
  :: else -> planSend(seen)
  fi
}

#define decide(condition, what) WHERE(act == undecided && (condition), act = what)
#define decideReview(condition, reason) WHERE(act == undecided && (condition), act = openReview; why = reason)

inline planSend(seen) {
  decide(SOME(IS_REPORTED_LATE, s), confirmLate);
  decide(review[s] != none, stay);
  decideReview(losses >= LOSSES_MAX, poison);
  if
  :: act == undecided && SOME(IS_UNPROVED, s) && (SETTLED_RULE || intentInput[s] == input) -> planUnknown(seen)
  :: else
  fi;
  decideReview(REJECTED_STAYS && lastFailure[s] == rejected, rejected);
  decideReview(lastFailure[s] == conflict, conflict);
  decide(notBefore[s] == LATER, wait);
  decideReview(seen, precondition);
  decideReview(REJECTED_STAYS && hasNoEffect(s) && (rejections[s] & BIT(input)) != 0, rejected);
  decideReview(attempts == ATTEMPTS, limit);
  decide(true, send)
}

/* An attempt may have been executed: the destination's repeat safety decides. */
inline planUnknown(seen) {
  if
  :: DEDUPLICATES && !isWindowOver && !(REJECTED_STAYS && (rejections[s] & BIT(intentInput[s])) != 0) &&
     attempts < ATTEMPTS && !(seen) ->
    decide(notBefore[s] == LATER, wait);
    decide(true, send)
  :: else ->
    decideReview(!HAS_CHECK, unknown);
    decide(checks[s] == 0, check);
    decideReview(checks[s] >= CHECKS_MAX, unknown);
    decide(notBefore[s] == LATER, wait);
    decide(notBefore[s] == PROOF_AT && PROOF_WAITS && SOME(MAY_STILL_ARRIVE, s), wait);
    decide(true, check)
  fi
}

/* decideOpenAttempt: under an unsettled intent its version, key and request again; else a changed input is a new effect. */
inline openAttempt(w) {
  printf("worker %d: opens attempt %d\n", w, attempts + 1);
  MUST(SEEN, !factCame);
  MUST(STANDING, confirmation[s] == 0 || confirmation[s] != input || factCame);
  MUST(NOT_RESENT, DEDUPLICATES || !SOME(IS_IN_DOUBT, s));
  opened = attempts;
  attempts++;
  stepOf[opened] = s;
  if
  :: intent[s] == 0 || ((hasNoEffect(s) || !SETTLED_RULE) && intentInput[s] != input) ->  /* intentOpened */
    intent[s] = intent[s] + 1; intentInput[s] = input
#if DESTINATION == BY_IF_MATCH
    ; intentEtag[s] = etag[s]             /* the precondition is part of the request */
#endif
  :: else
  fi;
  MUST(REJECTED, (rejections[s] & BIT(intentInput[s])) == 0);
  sentVersion[opened] = intent[s]; inputOf[opened] = intentInput[s]; senderOf[opened] = w;
#if DESTINATION == BY_IF_MATCH
  etagOf[opened] = intentEtag[s];
#endif
#if INTENT_BEFORE_SEND
  versionOf[opened] = intent[s]; outcome[opened] = open; isUnderClaim[opened] = 1;          /* attemptOpened */
  rest = ready; checks[s] = 0; notFound[s] = 0; notBefore[s] = 0;
  stored[w] = 1;
  raiseRevision(w)
#endif
}

#define IS_END(act) (act == haltCanceled || act == haltPaused || act == complete || act == stay || act == wait)

/* advance: write down what only has to be written down, then one attempt, or a question, or the end of the claim. */
inline advance(w, seen, mayOpen, mayPark) {
  MUST(FOREIGN, isTrue[w]);
  MUST(JOURNAL, !ahead[w]);
  do
  :: planCase(seen);
    if
    :: act == confirmLate -> printf("worker %d: stepConfirmed by a late report\n", w);
      stepConfirmed(s, intentInput[s]); confirmReported(s); rest = ready; stored[w] = 1; raiseRevision(w)
    :: act == openReview -> printf("worker %d: reviewOpened: %e\n", w, why);
      review[s] = why; stored[w] = 1; raiseRevision(w)
    :: act == send && mayOpen -> openAttempt(w); next = sending; break
    :: act == send && !mayOpen -> next = again; break
    :: act == check -> next = asking; break
    :: IS_END(act) && mayPark ->
      if
      :: act == haltCanceled -> rest = canceled; cancelRequest = 0; printf("worker %d: canceled\n", w)
      :: act == haltPaused -> rest = paused; pauseRequest = 0; printf("worker %d: paused\n", w)
      :: act == complete -> rest = done; printf("worker %d: caseDone\n", w)
      :: act == wait -> rest = waiting; printf("worker %d: parked, to wait\n", w)
      :: act == stay -> rest = in_review; printf("worker %d: parked in review: %e\n", w, review[s])
      fi;
      stored[w] = 1;
      raiseRevision(w);
      endClaim(); next = released; break
    :: IS_END(act) && !mayPark -> next = again; break
    fi
  od;
  act = undecided; why = none
}

inline confirmReported(s) {
  i = 0;
  do
  :: i < ATTEMPTS && IS_REPORTED_LATE(i, s) -> outcome[i] = confirmed; break
  :: i < ATTEMPTS && !IS_REPORTED_LATE(i, s) -> i++
  :: else -> break
  od;
  i = 0
}

/* ------------------------------------------------ a worker --------------------------------------------------------- */

mtype:Got = { nothing, succeeded, doubt, notSent, turnedDown, otherFound, happened, didNotHappen, cannotTell };
#define ENDED_ATTEMPT(got) (got == succeeded || got == doubt || got == notSent || got == turnedDown || got == otherFound)
mtype:Next = { again, sending, asking, released };
mtype:Verdict = { current, moved, repeated, claimLost };

inline crash(w) {
  crashes++;
  MUST(SPARED, !POISON || crashes <= LOSSES_MAX);
  my[w] = 0; fresh[w] = 0; saw[w] = 0; stored[w] = 0; ahead[w] = 0; isTrue[w] = 0;
  holderIsDead = (holderIsDead || claimHolder == w);
  i = 0;
  do
  :: i < ATTEMPTS && wire[i] != unsent && senderOf[i] == w ->
    isHeard[i] = 0; gaveUp[i] = 0;
    if :: wire[i] != flying -> wire[i] = gone :: else fi;
    i++
  :: i < ATTEMPTS && !(wire[i] != unsent && senderOf[i] == w) -> i++
  :: else -> break
  od;
  i = 0; a = 0; s = 0; opened = 0; got = nothing; next = again; proves = 0
}

#define MAY_CRASH (crashes < CRASHES)

proctype Worker(byte w) {
  byte a = 0, s = 0, opened = 0, i = 0;
  mtype:Got got = nothing;
  mtype:Next next = again;
  mtype:Act act = undecided;
  mtype:Review why = none;
  mtype:Verdict verdict = current;
  bit proves = 0;

end_idle:
  atomic {                                /* claimDue */
    isClaimable ->
    replicate();
    newClaimId(w);
    claimHolder = w; isTrue[w] = 1;
    if
    :: rest == waiting -> FOR_EACH(s, STEPS, notBefore[s] = 0)
    :: else
    fi;
    if
    :: my[w] = claim; fresh[w] = 1; saw[w] = factCame; factIsUnseen = 0; ahead[w] = 0;
      printf("worker %d: claimDue, claim %d\n", w, claim)
    :: lostReplies < LOST_REPLIES -> lostReplies++;
      printf("worker %d: claimDue, and the reply is lost\n", w);
      goto end_idle
    fi
  };

turn:
  if
  :: atomic { MAY_CRASH -> printf("worker %d crashes\n", w); crash(w); goto end_idle }
  :: atomic {                             /* commit: what is in hand, and one step onward */
      true ->
      if                                  /* judgeCommit */
      :: COMMIT_ID && stored[w] -> verdict = repeated
      :: else ->
        if
        :: DOOR_COMPARES_CLAIM && claim != my[w] -> verdict = claimLost
        :: else ->
          if
          :: DOOR_KNOWS_LOST_ENTRIES && ahead[w] -> verdict = claimLost
          :: !DOOR_KNOWS_LOST_ENTRIES && ahead[w] -> verdict = current       /* its number, with other entries */
          :: !DOOR_KNOWS_LOST_ENTRIES && ahead[w] -> verdict = moved
          :: !ahead[w] && fresh[w] -> verdict = current
          :: !ahead[w] && !fresh[w] -> verdict = moved
          fi
        fi
      fi;
      if :: verdict == current || verdict == moved -> replicate() :: else fi;
      if
      :: verdict == current ->
        if :: got != nothing -> storeOutcome(w) :: else fi;
        advance(w, saw[w], true, true)
      :: verdict == moved ->
        if :: got != nothing -> storeOutcome(w) :: else fi;
        next = again;
#if REVISION_GUARDS_ONWARD && REVISION_GUARDS_PARKING
        if
        :: true                           /* its plan was to keep the claim */
        :: true -> MUST(FOREIGN, isTrue[w]); endClaim(); next = released   /* R2: it was to end it */
        fi
#else
        advance(w, saw[w], !REVISION_GUARDS_ONWARD, !REVISION_GUARDS_PARKING)
#endif
      :: verdict == repeated || verdict == claimLost
      fi;
      audit();
      if
      :: printf("worker %d: commit with %e: %e, then %e\n", w, got, verdict, next)
      :: verdict != claimLost && verdict != repeated && lostReplies < LOST_REPLIES ->
        lostReplies++; fresh[w] = 0;
        printf("worker %d: commit with %e: %e, and the reply is lost\n", w, got, verdict);
        verdict = current; goto turn
      fi;
      stored[w] = 0;
      if
      :: verdict == claimLost -> verdict = current; opened = 0; goto loseClaim
      :: verdict == repeated && claim != my[w] -> next = released; opened = 0
      :: else -> fresh[w] = 1; saw[w] = factCame; factIsUnseen = 0
      fi;
      got = nothing; verdict = current;
      if
      :: next == sending -> next = again; a = opened; opened = 0
      :: next == asking -> next = again; a = 0; goto askCheck
      :: next == released -> next = again; a = 0; s = 0; my[w] = 0; fresh[w] = 0; saw[w] = 0; isTrue[w] = 0; goto end_idle
      :: next == again -> a = 0; goto turn
      fi
    }
  fi;

makeAttempt:
#if DESTINATION == BY_TRANSACTION
  if
  :: atomic { MAY_CRASH -> printf("worker %d crashes\n", w); crash(w); goto end_idle }
  :: got = succeeded                      /* takes effect with the commit of its outcome, or not at all */
  fi;
#else
  if
  :: atomic { MAY_CRASH && !POISON -> printf("worker %d crashes\n", w); crash(w); goto end_idle }
  :: atomic { !POISON -> got = notSent; printf("worker %d: does not send attempt %d\n", w, a + 1); goto turn }
#if DESTINATION == BY_FENCE && TOKENS_ONCE
  :: atomic {                             /* raises the token and reads back, in one call */
      true ->
      if
      :: a + 1 < fence -> got = notSent; printf("worker %d: a newer token was seen\n", w); goto turn
      :: a + 1 >= fence && (ran[s] & BIT(sentVersion[a])) != 0 -> fence = a + 1; isFenceUsed = 0; got = succeeded;
        printf("worker %d: reads back that it happened\n", w); goto turn
      :: else -> fence = a + 1; isFenceUsed = 0; printf("worker %d: raises the token to %d\n", w, a + 1)
      fi
    }
  fi;
  if
  :: atomic { MAY_CRASH && !POISON -> printf("worker %d crashes\n", w); crash(w); goto end_idle }
#endif
  :: atomic {
      !(IN_TIME && isOver[a]) ->          /* whyNotSent, judged at the very moment */
      wire[a] = flying; isHeard[a] = 1;
      printf("worker %d: sends attempt %d of step %d under intent %d with input %d\n", w, a + 1, s + 1, sentVersion[a], inputOf[a])
    }
  fi;

  if
  :: atomic { MAY_CRASH || POISON -> printf("worker %d crashes\n", w); crash(w); goto end_idle }
  :: atomic { wire[a] == answered -> got = succeeded; wire[a] = gone; isHeard[a] = 0 }
  :: atomic { wire[a] == refused -> got = turnedDown; wire[a] = gone; isHeard[a] = 0 }
  :: atomic { wire[a] == differs -> got = otherFound; wire[a] = gone; isHeard[a] = 0 }
  :: atomic { wire[a] == stale -> got = notSent; wire[a] = gone; isHeard[a] = 0 }
  :: atomic { (wire[a] == flying || wire[a] == gone) && !POISON ->          /* its deadline, or its lease */
      got = doubt; isHeard[a] = (RUN_ON && wire[a] == flying); gaveUp[a] = isHeard[a];
      printf("worker %d: does not know how attempt %d ended\n", w, a + 1) }
  fi;
#endif
  goto turn;

askCheck:
  atomic {                                /* the destination reads */
    if
    :: (ran[s] & BIT(intent[s])) != 0 -> got = happened
    :: (ran[s] & BIT(intent[s])) == 0 || SOME(MAY_STILL_ARRIVE, s) -> got = didNotHappen   /* or its read lag */
    :: got = cannotTell
    fi;
    proves = !(PROOF_WAITS && SOME(MAY_STILL_ARRIVE, s));
    printf("worker %d: askCheck reads %e\n", w, got)
  };
  atomic {                                /* its answer arrives, perhaps much later */
#if !ASKED_BEFORE_READ
    proves = !(PROOF_WAITS && SOME(MAY_STILL_ARRIVE, s));
#endif
    proves = (proves && got == didNotHappen && notFound[s]);
    printf("worker %d: askCheck is answered\n", w)
  };
  goto turn;

loseClaim:
  if
  :: atomic { MAY_CRASH -> printf("worker %d crashes\n", w); crash(w); goto end_idle }
  :: atomic {
      true ->
      if
      :: ENDED_ATTEMPT(got) ->
#if DESTINATION == BY_TRANSACTION
        got = notSent;                    /* rolled back at the door */
#endif
        printf("worker %d: reports late %e of attempt %d\n", w, got, a + 1);
        reportLate(a, got);
        audit()
      :: else
      fi;
      got = nothing; next = again; proves = 0; a = 0; s = 0; my[w] = 0; fresh[w] = 0; saw[w] = 0; isTrue[w] = 0
    }
  fi;
  goto end_idle
}

/* ------------------------------------------------ the sweep, and each holder's beat -------------------------------- */

active proctype Sweep() {
  byte i = 0;
end:
  do
  :: atomic { SWEEP && claim != 0 && holderIsDead ->
      printf("sweep: freeClaim, the holder is silent\n"); freeClaim() }
  :: atomic { SWEEP && claim != 0 && !holderIsDead && my[claimHolder] == claim && (PAUSES == ANY || pauses < PAUSES) ->
      pauses = (PAUSES == ANY -> 0 : pauses + 1);
      printf("sweep: freeClaim, worker %d is paused\n", claimHolder); freeClaim() }
  :: atomic { ORPHAN_RELEASE && claim != 0 && !holderIsDead && my[claimHolder] != claim ->
      printf("beat of worker %d: freeClaim, orphaned\n", claimHolder); freeClaim() }
  :: atomic { ACT_BY && SWEEP && claim != 0 && !holderIsDead && my[claimHolder] != claim ->
      printf("sweep: freeClaim, past its act-by\n"); freeClaim() }
  od
}

/* ------------------------------------------------ the destination -------------------------------------------------- */

#define KNOWS_KEY(x) ((ran[stepOf[x]] & BIT(sentVersion[x])) != 0 && !(KEYS_EXPIRE && isWindowOver))
#define RAN_AS_MEANT(x) ((ranWith[stepOf[x]] & BIT(inputOf[x])) != 0)
#if DESTINATION == BY_FENCE
#define IS_TOKEN_GOOD(x) (TOKENS_ONCE -> (x + 1 == fence && !isFenceUsed) : x + 1 >= fence)
#endif

inline answer(x, what) {
  if
  :: isHeard[x] -> wire[x] = what
  :: wire[x] = gone                       /* nobody listens, or it is lost on its way */
  fi
}

inline arrive(x) {
  if
#if DESTINATION == BY_KEY
  :: KNOWS_KEY(x) && !(KEY_COMPARES && !RAN_AS_MEANT(x)) -> answer(x, answered)
  :: KNOWS_KEY(x) && KEY_COMPARES && !RAN_AS_MEANT(x) -> answer(x, differs)
  :: !KNOWS_KEY(x) -> TAKE_EFFECT(x); answer(x, answered)
  :: !KNOWS_KEY(x) && REFUSALS -> answer(x, refused)
#elif DESTINATION == BY_UNIQUE
  :: ran[stepOf[x]] != 0 && RAN_AS_MEANT(x) -> answer(x, answered)               /* "exists", with our fingerprint */
  :: ran[stepOf[x]] != 0 && !RAN_AS_MEANT(x) -> answer(x, differs)
  :: ran[stepOf[x]] == 0 -> TAKE_EFFECT(x); answer(x, answered)
  :: ran[stepOf[x]] == 0 && REFUSALS -> answer(x, refused)
#elif DESTINATION == BY_IF_MATCH
  :: etagOf[x] == etag[stepOf[x]] -> etag[stepOf[x]] = etag[stepOf[x]] + 1; TAKE_EFFECT(x); answer(x, answered)
  :: etagOf[x] == etag[stepOf[x]] && REFUSALS -> answer(x, refused)
  :: etagOf[x] != etag[stepOf[x]] && RAN_AS_MEANT(x) -> answer(x, answered)      /* refused, read and compared */
  :: etagOf[x] != etag[stepOf[x]] && !RAN_AS_MEANT(x) -> answer(x, differs)
#elif DESTINATION == BY_FENCE
  :: IS_TOKEN_GOOD(x) -> isFenceUsed = TOKENS_ONCE; fence = x + 1; TAKE_EFFECT(x); answer(x, answered)
  :: IS_TOKEN_GOOD(x) && REFUSALS -> answer(x, refused)
  :: !IS_TOKEN_GOOD(x) -> answer(x, stale)
#else
  :: TAKE_EFFECT(x); answer(x, answered)
  :: REFUSALS -> answer(x, refused)
#endif
  fi
}

active proctype Destination() {
end:
  do
  :: atomic { wire[0] == flying -> arrive(0) }
  :: atomic { wire[1] == flying -> arrive(1) }
#if ATTEMPTS > 2
  :: atomic { wire[2] == flying -> arrive(2) }
#endif
#if ATTEMPTS > 3
  :: atomic { wire[3] == flying -> arrive(3) }
#endif
  od
}

/* ------------------------------------------------ time ------------------------------------------------------------- */

#if MEASURES_TIME
#if KEYS_EXPIRE
#define CAN_END(x) (!isOver[x] && versionOf[x] != 0)
#else
/* Of no interest once nothing has to be proved about the attempt. */
#define CAN_END(x) (!isOver[x] && (outcome[x] == open || outcome[x] == failedMaybe) && confirmation[stepOf[x]] == 0)
#endif
inline pass(x) {
  isOver[x] = 1;
  printf("the last possible arrival of attempt %d passes\n", x + 1);
#if IN_TIME
  if :: wire[x] == flying -> wire[x] = gone :: else fi
#endif
}

#define CAN_ARRIVE(x, s) (CAN_END(x) && stepOf[x] == s)

active proctype Time() {
end:
  do
  :: atomic { CAN_END(0) -> pass(0) }
  :: atomic { CAN_END(1) -> pass(1) }
#if ATTEMPTS > 2
  :: atomic { CAN_END(2) -> pass(2) }
#endif
#if ATTEMPTS > 3
  :: atomic { CAN_END(3) -> pass(3) }
#endif
#if KEYS_EXPIRE
  :: atomic { !isWindowOver && attempts > 0 && !(REPEAT_ENDS_IN_WINDOW && SOME(CAN_ARRIVE, 0)) ->
      isWindowOver = 1; printf("the key's window ends\n") }
#endif
  od
}
#endif

/* ------------------------------------------------ `run` that goes on ----------------------------------------------- */

#if RUN_ON
#define RETURNS(x) (gaveUp[x] && wire[x] == answered)
inline onLateSuccess(x) {
  wire[x] = gone; isHeard[x] = 0; gaveUp[x] = 0;
  printf("run of attempt %d returns after all: onLateSuccess\n", x + 1);
  reportLate(x, succeeded);
  audit()
}

active proctype Run() {
  byte i = 0;
end:
  do
  :: atomic { RETURNS(0) -> onLateSuccess(0) }
  :: atomic { RETURNS(1) -> onLateSuccess(1) }
#if ATTEMPTS > 2
  :: atomic { RETURNS(2) -> onLateSuccess(2) }
#endif
#if ATTEMPTS > 3
  :: atomic { RETURNS(3) -> onLateSuccess(3) }
#endif
  od
}
#endif

/* ------------------------------------------------ people and facts ------------------------------------------------- */

#if CORRECTIONS || RESUMES || CANCELS
active proctype Person() {
  byte s = 0, i = 0;
end:
  do
#if CORRECTIONS
  :: atomic { !corrected && claim == 0 && !isEnded && rest != paused ->                   /* decideCorrection, inputCorrected */
      replicate();
      corrected = 1; input = 2; losses = 0; rest = ready;
      FOR_EACH(s, STEPS, renew(s));
      raiseRevision(NOBODY);
      printf("person: inputCorrected\n");
      audit() }
#endif
#if RESUMES
  :: atomic { resumes < RESUMES && claim == 0 && (rest == in_review || rest == waiting || rest == paused) ->   /* decideResume, resumed */
      replicate();
      resumes++; losses = 0; rest = ready;
      FOR_EACH(s, STEPS, renew(s));
      raiseRevision(NOBODY);
      printf("person: resumed\n");
      audit() }
#endif
#if CANCELS
  :: atomic { !hasCanceled && !isEnded && (EVERY(IS_UNTOUCHED) || !CANCEL_NEEDS_UNTOUCHED) ->   /* decideCancel */
      hasCanceled = 1;
      replicate();
      if
      :: claim == 0 -> rest = canceled; factIsUnseen = 0; printf("person: canceled\n")
      :: else -> cancelRequest = 1; wake(); factIsUnseen = 1; printf("person: cancelRequested\n")
      fi;
      raiseRevision(NOBODY);
      audit() }
#endif
  od
}
#endif

#if FACTS
active proctype Fact() {
  byte i = 0;
end:
  atomic {                                /* eventReceived */
    !isEnded ->
    replicate();
    factCame = 1; factIsUnseen = (rest != paused);
    wake();
    raiseRevision(NOBODY);
    printf("eventReceived: nothing may be sent any more\n");
    audit()
  }
}
#endif

/* ------------------------------------------------ the case starts -------------------------------------------------- */

init {
  byte i = 0;
  atomic {                                /* caseStarted */
    FOR_EACH(i, STEPS, review[i] = none; lastFailure[i] = none);
    FOR_EACH(i, ATTEMPTS, outcome[i] = unrecorded; wire[i] = unsent);
    i = 0;
    do
    :: i < WORKERS -> run Worker(i); i++
    :: else -> i = 0; break
    od
  }
}

#define isSettled (claim == 0 && (rest == in_review || rest == paused || isEnded))
#ifdef SETTLES
ltl settles { <> [] (isSettled) }
#endif
