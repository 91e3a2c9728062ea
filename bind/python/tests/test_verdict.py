"""What a run says about itself: the verdict, its reasons, and who took the energy."""

import warnings

import pytest

import zwang

SWING = "coord x = 1\nkinetic 1/2*x'^2\npotential 1/2*x^2\nrun 0 .. 10\n"


def test_a_good_run_is_trusted_and_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = zwang.Model(text=SWING).run()
    assert result.verdict == result.report.verdict == "trusted"
    assert not result.report.doubts
    assert result.report.energy_off < 100 * result.report.energy_allowed
    assert "verdict      trusted" in str(result.report)


def test_a_doubtful_one_warns():
    with pytest.warns(zwang.DoubtWarning, match=r"the energy swings about its value .*--step 0\.15"):
        result = zwang.Model(text=SWING).run(integrator="rattle", step=1.5, t_end=100)
    assert result.verdict == "doubtful"
    assert result.report.doubts[0].about == "oscillation"
    assert "conserved" not in str(result.report)
    with pytest.warns(zwang.DoubtWarning):
        many = zwang.Model(text=SWING).run_many([{"x": 1}, {"x": 2}], integrator="rattle", step=1.5, t_end=100)
    assert [member.verdict for member in many] == ["doubtful"] * 2


def test_a_wrong_one_is_an_error():
    with pytest.raises(zwang.RunError, match="drifts away from its value") as caught:
        zwang.Model(text=SWING).run(integrator="rattle", step=2.1)
    assert caught.value.status == "ZW_ERR_DOUBT"
    assert caught.value.result.verdict == "failed"


def test_claims_are_told_and_one_that_fails_is_an_error_with_all_rows():
    claims = "claim law: x'' = -x\nclaim bound: x <= %s within 1e-6\n"
    result = zwang.Model(text=SWING.replace("run", claims % 1 + "run")).run()
    assert [(claim.name, claim.holds) for claim in result.report.claims] == [("law", True), ("bound", True)]
    with pytest.raises(zwang.RunError, match="the claim 'bound' does not hold") as caught:
        zwang.Model(text=SWING.replace("run", claims % 0.5 + "run")).run()
    assert caught.value.status == "ZW_ERR_CLAIM"
    assert caught.value.result.verdict == "doubtful"
    assert [doubt.about for doubt in caught.value.result.report.doubts] == ["claims"]
    bound = caught.value.result.report.claims[1]
    assert (bound.holds, bound.worst, bound.allowed, bound.t) == (False, 0.5, 1e-6, 0)
    assert caught.value.result.t[-1] == 10


def test_events_have_their_shares():
    text = "coord y = 1\nkinetic y'^2\npotential 2*10*y\ncontact floor: y >= 0, restitution 0.5\nrun 0 .. 0.8\n"
    report = zwang.Model(text=text).run().report
    assert [share.name for share in report.energy_shares] == ["floor"]
    assert report.energy_shares[0].energy == pytest.approx(-15) == report.energy_events
    assert report.energy_start == pytest.approx(20)
    assert "balance with what events took" in str(report)
